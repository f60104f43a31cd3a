package dev.rota.crash.interleaving;

import dev.rota.Batch;
import dev.rota.Batch.SettleResult;
import dev.rota.DatabaseException;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.daemon.internal.DaemonSteps;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.RotaBuilder;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A database with one tenant, and some processes that use it: each a Rota with a separate registry.
 * It is reset for each play.
 */
public final class InterleavingEnvironment implements AutoCloseable {

  /** The processes: by convention the first enqueues, two claim, and two are daemons. */
  public static final int PROCESSES = 5;

  /** The second of the two that claim, which also makes the last claims. */
  public static final int OTHER_WORKER = 2;

  private static final String KIND = "work";
  private static final int TIMES = 5;

  private final TestDatabase database;
  private final Scenario scenario;
  private final StepGate stage;
  private final StepScheduler scheduler;
  private final ThreadBoundPool pool;
  private final Connection own;
  private final List<Rota> rotas = new ArrayList<>();
  private final List<Tenant> tenants = new ArrayList<>();
  private final TenantRef.State beginning;
  private final Reset reset;
  private final Census.Views views;
  private final ThreadLocal<Map<Integer, DaemonSteps>> daemons =
      ThreadLocal.withInitial(HashMap::new);
  private final List<Batch> held = new ArrayList<>();
  private final List<Long> known = new ArrayList<>();
  private Invariants rules;
  private int tasks;
  private int unseen;

  private InterleavingEnvironment(TestDatabase database, Scenario scenario, Rewriting rewriting)
      throws Exception {
    this.database = database;
    this.scenario = scenario;
    this.rules = new Invariants(scenario);
    // No crash of the server is tested here; deadlocks have to be found at once.
    database.execute(
        "alter database "
            + database.name()
            + " set synchronous_commit = off;"
            + ("alter database " + database.name() + " set deadlock_timeout = '20ms'"));
    database.execute("create table public.effect (task bigint)");
    this.stage = new StepGate();
    this.pool = new ThreadBoundPool(source(database, rewriting), rewriting, stage);
    this.scheduler = new StepScheduler(stage, new Waits(database.connect(), pool));
    this.own = database.connect();
    for (int process = 0; process < PROCESSES; process++) {
      Rota.Builder builder =
          Rota.builder(pool.of(process))
              .lease(Duration.ofHours(1))
              .registryRefresh(Duration.ofMinutes(1))
              .doorbell(false);
      // An actor may wait for a lock while others make many steps, however slow the machine is.
      RotaBuilder.lockTimeout(builder, Duration.ofMinutes(1));
      rotas.add(RotaBuilder.build(builder, stage));
    }
    settleIn();
    this.beginning = ref(0).state();
    this.reset = new Reset(own, tenant(0).number());
    this.views = Census.Views.of(tenant(0).number(), reset.hasTable("task_held"));
  }

  /** Opens a new environment. */
  public static InterleavingEnvironment open(
      TestDatabase database, Scenario scenario, Rewriting rewriting) throws Exception {
    return new InterleavingEnvironment(database, scenario, rewriting);
  }

  /**
   * Creates the data source. Rewritten statements must travel as text, and not by the name of a
   * prepared one.
   */
  private static DataSource source(TestDatabase database, Rewriting rewriting) {
    DataSource source = database.dataSource();
    if (rewriting != Rewriting.NONE && source instanceof PGSimpleDataSource plain) {
      plain.setPrepareThreshold(0);
    }
    return source;
  }

  /** Creates the tables that features need on first use, and lets each process take its number. */
  private void settleIn() throws Exception {
    if (rotas.get(0).tenants().find("acme").isEmpty()) {
      rotas.get(0).tenants().register("acme");
    }
    execute("select rota.open_tenant(number) from rota.tenant");
    for (Rota rota : rotas) {
      tenants.add(rota.tenants().get("acme"));
    }
    for (int priority : scenario.priorities()) {
      tenant(0).addLane(priority);
    }
    scenario.prepare(this);
    for (Rota rota : rotas) {
      DefaultRota.kernelOf(rota).registry().refresh();
    }
    for (Tenant tenant : tenants) {
      tenant.claim(1).close();
    }
  }

  private TenantRef ref(int process) {
    return kernel(process).registry().get(tenant(process).number());
  }

  private Kernel kernel(int process) {
    return DefaultRota.kernelOf(rotas.get(process));
  }

  StepScheduler scheduler() {
    return scheduler;
  }

  /** Resets the environment. */
  void begin() throws Exception {
    rules = new Invariants(scenario);
    tasks = 0;
    held.clear();
    known.clear();
    reset.run();
    for (int process = 0; process < PROCESSES; process++) {
      // Also so that no producer reads the tenant again because it is known for long.
      kernel(process).registry().refresh();
      if (!scenario.retires()) {
        ref(process).learn(beginning);
      }
    }
    scenario.prepare(this);
  }

  /** Takes a census, unless a table is locked, and checks the rules. */
  void check() throws Exception {
    Optional<Census> census = Census.take(own, views);
    if (census.isPresent()) {
      rules.check(census.get());
      scenario.verifyStep(this, census.get());
    } else {
      unseen++;
    }
  }

  /** The errors of the server for statements that were changed on their way to it. */
  public List<SQLException> refusals() {
    return pool.refusals();
  }

  /** The number of steps without a check, because an actor had locked a table. */
  int unseen() {
    return unseen;
  }

  /** Makes the last claims, which find all remaining tasks. */
  void finish() throws Exception {
    scenario.close(this);
    check();
    if (!census().in("waiting").isEmpty()) {
      execute("update %1$s set run_at = now() - interval '1 hour'".formatted(table("task_wait")));
      daemon(3).promote();
    }
    for (Batch batch = claim(OTHER_WORKER, 100);
        !batch.tasks().isEmpty();
        batch = claim(OTHER_WORKER, 100)) {
      check();
      settle(batch);
    }
    Census census = census();
    rules.checkEnd(census);
    scenario.verify(this, census);
  }

  /** Takes a census; no session may hold a lock on a table. */
  public Census census() throws SQLException {
    return Census.takeAtRest(own, views)
        .orElseThrow(() -> new IllegalStateException("a table stayed locked after the play"));
  }

  /** The tenant in one process. */
  public Tenant tenant(int process) {
    return tenants.get(process);
  }

  /** The Rota of one process. */
  public Rota rota(int process) {
    return rotas.get(process);
  }

  /** The name of one of the tenant's tables without a number. */
  public String table(String name) {
    return "rota_%1$d.%2$s_%1$d".formatted(tenant(0).number(), name);
  }

  /** A table of the tenant with a number: a slot or a segment. */
  public String table(String name, int number) {
    return table(name) + "_" + number;
  }

  /** Makes a process believe that another slot of the default lane is current. */
  public void mislead(int process, int slot) {
    TenantRef ref = ref(process);
    ref.learn(ref.state().pointingAt(slot));
  }

  /** Creates a task with a unique payload. */
  public NewTask task() {
    return NewTask.of(KIND, "{\"task\": " + tasks++ + "}");
  }

  /** Enqueues tasks; returned ids are acknowledged. */
  public List<Long> enqueue(int process, NewTask... newTasks) {
    List<Long> ids = tenant(process).enqueueAll(Arrays.asList(newTasks));
    for (int i = 0; i < ids.size(); i++) {
      acknowledged(ids.get(i), newTasks[i].payload());
    }
    return ids;
  }

  /** Records that a task is committed and acknowledged. */
  public void acknowledged(long id, String payload) {
    rules.acknowledged(id, payload);
  }

  /** Records that a task exists; its payload is not checked. */
  public void exists(long id) {
    rules.exists(id);
    known.add(id);
  }

  /** The n-th task recorded by {@link #exists}, counted from 0. */
  public long known(int number) {
    return known.get(number);
  }

  /** Reports that a task has failed, and that it may run again at once. */
  public void fail(Batch batch, Task task) {
    batch.fail(task, "it failed", Duration.ZERO);
    rules.failed(batch.id(), task.id());
  }

  /** Claims a batch. */
  public Batch claim(int process, int max) {
    Batch batch = tenant(process).claim(max);
    for (Task task : batch) {
      rules.claimed(batch.id(), task.id(), task.payload());
    }
    return batch;
  }

  /** Claims a batch before the actors start. */
  public Batch hold(int process, int max) {
    Batch batch = claim(process, max);
    held.add(batch);
    return batch;
  }

  /** A batch that was claimed before the actors start, counted from 0. */
  public Batch held(int number) {
    return held.get(number);
  }

  /** Settles, and repeats it after a refusal, as every caller would. */
  public SettleResult settle(Batch batch) {
    for (int time = 1; ; time++) {
      try {
        SettleResult result = batch.settle();
        if (!batch.tasks().isEmpty()) {
          rules.settled(batch.id(), result.lost() == 0);
        }
        return result;
      } catch (DatabaseException e) {
        if (time == TIMES) {
          throw e;
        }
      }
    }
  }

  /** Claims once and settles. */
  public void work(int process, int max) {
    settle(claim(process, max));
  }

  /** The tasks of a daemon, on a connection that the calling thread keeps. */
  public DaemonSteps daemon(int process) throws SQLException {
    Map<Integer, DaemonSteps> own = daemons.get();
    DaemonSteps known = own.get(process);
    if (known == null) {
      known = new DaemonSteps(rotas.get(process), connect(process));
      own.put(process, known);
    }
    return known;
  }

  /** A connection of the process for the calling thread; it may wait for other sessions. */
  public Connection connect(int process) throws SQLException {
    return pool.of(process).getConnection();
  }

  /** Ends the leases of all workers. */
  public void endLeases() throws SQLException {
    execute("update rota.worker set lease = interval '0'");
  }

  /** One more Rota in a process, for the caller to close. */
  public Rota another(int process, Duration lease) {
    Rota.Builder builder = Rota.builder(pool.of(process)).lease(lease).doorbell(false);
    return RotaBuilder.build(builder, stage);
  }

  /** Marks a step outside of Rota. */
  public void step(String what) {
    stage.step(what);
  }

  /** Runs statements on a separate connection of the test. */
  public void execute(String sql) throws SQLException {
    try (Statement statement = own.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The one number of a query's result. */
  public long number(String sql) throws SQLException {
    try (Statement statement = own.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  @Override
  public void close() throws Exception {
    try {
      rotas.forEach(Rota::close);
      scheduler.close();
      pool.close();
      own.close();
    } finally {
      database.close();
    }
  }
}
