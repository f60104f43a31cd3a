package dev.rota.internal;

import dev.rota.Assignments;
import dev.rota.Finding;
import dev.rota.Roles;
import dev.rota.Rota;
import dev.rota.Tenants;
import dev.rota.Worker;
import dev.rota.internal.db.BatchEnd;
import dev.rota.internal.db.Database;
import dev.rota.internal.log.Logs;
import dev.rota.internal.worker.WorkerFactory;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;

/** A Rota in the hands of a user: puts the parts together, and takes them apart in order. */
public final class RotaView implements Rota {

  private static final Logger log = Logs.of(RotaView.class);

  private final Engine engine;
  private final Runnable closePool;
  private final Preflight preflight;
  private final DaemonWatch daemonWatch;
  private final AssignmentPools assignmentPools;
  private final GroupCommit groupCommit;
  private final GroupCommit keyedCommit;
  private final Tenants tenants;
  private final Set<Worker> workers = ConcurrentHashMap.newKeySet();
  private boolean closed;

  RotaView(Engine engine, Runnable closePool) {
    this.engine = engine;
    this.closePool = closePool;
    RotaSettings settings = engine.settings();
    Database database = engine.database();
    this.preflight =
        new Preflight(
            database,
            engine.timer(),
            new PreflightChecks(engine.tables(), settings.lockNamespace()));
    this.daemonWatch =
        new DaemonWatch(
            database,
            engine.registry(),
            settings.lockNamespace(),
            engine.timer(),
            settings.daemonWatch());
    this.assignmentPools =
        new AssignmentPools(database, engine.tables(), settings.lockNamespace(), engine.lease());
    KeyRegister keys = new KeyRegister(engine.keyTables());
    this.groupCommit = groupCommit(new PlainStore(engine.taskIds()));
    this.keyedCommit = groupCommit(new KeyedStore(keys, engine.taskIds()));
    this.tenants =
        new TenantsView(
            new TenantView.Services(
                engine,
                producing(keys),
                engine.claimers().claimer(null, BatchEnd.OPEN),
                daemonWatch,
                assignments(new AssignmentDesk(database))));
  }

  private TenantView.Producing producing(KeyRegister keys) {
    Enqueuer.Admission admission =
        new Enqueuer.Admission(
            new TaskRules(engine.settings().payloadLimit()), engine.lanes(), daemonWatch);
    return new TenantView.Producing(
        admission,
        new Enqueuer(engine.database(), engine.taskIds(), engine.doorbell(), admission, keys),
        new TenantView.Commits(groupCommit, keyedCommit));
  }

  private Function<TenantHandle, Assignments> assignments(AssignmentDesk desk) {
    return tenant ->
        new AssignmentsView(
            engine::ensureOpen,
            assignmentPools,
            pool ->
                new PoolClerk(engine::ensureOpen, engine.database(), engine.lease(), desk, pool),
            tenant);
  }

  private GroupCommit groupCommit(GroupStore store) {
    return new GroupCommit(
        engine.database(), store, engine.doorbell(), engine.settings().asyncMemory());
  }

  /** The parts behind a Rota, for the daemon. */
  public static Engine engineOf(Rota rota) {
    return viewOf(rota).engine;
  }

  /** What looks at the settings of a Rota's server, for the daemon. */
  public static Preflight preflightOf(Rota rota) {
    return viewOf(rota).preflight;
  }

  private static RotaView viewOf(Rota rota) {
    if (rota instanceof RotaView view) {
      return view;
    }
    throw new IllegalArgumentException("this Rota was not built by Rota.builder(...)");
  }

  /** Whether the schema waits for migrations of this library, as far as its role may know. */
  public static boolean isSchemaBehind(Rota rota) {
    return viewOf(rota).migration().isPending();
  }

  private Migration migration() {
    return new Migration(
        engine.database(), engine.registry(), engine.settings().lockNamespace(), preflight);
  }

  @Override
  public void migrate() {
    engine.ensureOpen();
    migration().run(null);
  }

  @Override
  public void migrate(Roles roles) {
    engine.ensureOpen();
    migration().run(roles);
  }

  @Override
  public List<Finding> preflight() {
    engine.ensureOpen();
    return preflight.findings();
  }

  @Override
  public Tenants tenants() {
    return tenants;
  }

  @Override
  public Worker.Builder worker() {
    engine.ensureOpen();
    return WorkerFactory.builder(engine, preflight, daemonWatch, workers);
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    engine.refuseNewWork();
    groupCommit.close();
    keyedCommit.close();
    Set.copyOf(workers).forEach(Worker::close);
    engine.closeDependents();
    signOff();
    engine.close();
    closePool.run();
  }

  /**
   * Others run what is left when the lease is over: a database that is away must not hold us up.
   */
  private void signOff() {
    quietly("hand back its assignments", assignmentPools::handBack);
    quietly("sign off", engine.lease()::close);
  }

  private static void quietly(String what, Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      log.warn("Rota could not {}: {}", what, e.getMessage());
    }
  }
}
