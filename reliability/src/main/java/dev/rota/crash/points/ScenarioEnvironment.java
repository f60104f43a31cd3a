package dev.rota.crash.points;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rota.Batch;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.daemon.internal.ManualDaemon;
import dev.rota.internal.RotaBuilder;
import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/**
 * The environment of one run of a scenario: a fresh tenant, and a fresh Rota whose calls are
 * numbered and broken. Payloads identify tasks. Used by one thread.
 */
final class ScenarioEnvironment implements AutoCloseable {

  static final String KIND = "k";

  private static final int MOST_PASSES = 12;

  private static final String[] ARCHIVING = {
    "archive segments of history",
    "drop archived segments of history",
    "delete what is archived long enough"
  };

  private final PointsEnvironment server;
  private final StatementFaults faults;
  private final HikariDataSource pool;
  private final Rota rota;
  private final Tenant sound;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final Expectation expectation;
  private boolean archivesAtLast;

  ScenarioEnvironment(
      PointsEnvironment server,
      StatementFaults faults,
      StatementObserver observer,
      UnaryOperator<DataSource> wrapper) {
    this.server = server;
    this.faults = faults;
    this.pool = pool(server);
    Rota.Builder builder = Rota.builder(wrapper.apply(pool)).archive(archive()).doorbell(false);
    this.rota = RotaBuilder.build(builder, observer);
    this.sound = server.tenant();
    this.expectation = new Expectation(server, sound.number());
  }

  private static HikariDataSource pool(PointsEnvironment server) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(server.proxy().through(server.database().jdbcUrl()));
    config.setMaximumPoolSize(4);
    config.setMinimumIdle(0);
    config.setInitializationFailTimeout(-1);
    config.setAutoCommit(false);
    return new HikariDataSource(config);
  }

  PointsEnvironment bench() {
    return server;
  }

  /** The Rota whose calls are broken. */
  Rota rota() {
    return rota;
  }

  /** The tenant of the Rota whose calls are broken, which looks it up if it does not know it. */
  Tenant tapped() {
    return rota.tenants().get(sound.name());
  }

  /** The tenant of the undisturbed Rota. */
  Tenant sound() {
    return sound;
  }

  /** A daemon over the Rota whose calls are broken. */
  ManualDaemon daemon() {
    return ManualDaemon.leading(rota);
  }

  /** A daemon over that Rota of which only the calls of its maintenance tasks are numbered. */
  ManualDaemon dutifulDaemon() {
    faults.heed(false);
    return ManualDaemon.leading(rota, faults::heed);
  }

  /** A daemon over that Rota that archives. */
  ManualDaemon archivist() {
    faults.heed(false);
    return ManualDaemon.archiving(rota, archive(), faults::heed);
  }

  Archive archive() {
    return server.archive().archive();
  }

  /** Archives, drops and deletes at the end. */
  void archiveAtLast() {
    archivesAtLast = true;
  }

  /** A connection of the broken pool, in a transaction of the caller. */
  Connection callers() throws SQLException {
    return pool.getConnection();
  }

  <T extends AutoCloseable> T closeLater(T closeable) {
    opened.addFirst(closeable);
    return closeable;
  }

  /** Returns a name for a further tenant, which is removed at the end if it exists. */
  String newName() {
    String name = server.newName();
    opened.addFirst(() -> server.removeIfThere(name));
    return name;
  }

  static NewTask task(String label) {
    return NewTask.of(KIND, label);
  }

  static List<NewTask> tasks(String... labels) {
    return Arrays.stream(labels).map(ScenarioEnvironment::task).toList();
  }

  /** Sets how these tasks must end, each once: the state in history, or "" for no row. */
  void expect(String end, String... labels) {
    for (String label : labels) {
      expectation.add(label, end);
    }
  }

  /** Enqueues tasks that must end well unless another expectation is set. */
  List<Long> enqueue(String... labels) {
    expect("done", labels);
    return sound.enqueueAll(tasks(labels));
  }

  /** Allows that the tasks do not exist, all together: their caller was told so. */
  void forgive() {
    expectation.forgive();
  }

  /** Expects that the tenant is gone with all its belongings, which are returned. */
  List<String> expectErasure() throws SQLException {
    expectation.eraseTenant();
    return expectation.belongings().of(sound.number());
  }

  /** Runs a statement, with {@code %1$d} replaced by the number of the tenant. */
  void execute(String sql) throws SQLException {
    server.execute(sql.formatted(sound.number()));
  }

  /**
   * Returns the first value of a query's result, with {@code %1$d} replaced by the number of the
   * tenant.
   */
  String text(String sql) throws SQLException {
    List<String> texts = server.texts(sql.formatted(sound.number()));
    return texts.isEmpty() ? "no row" : texts.get(0);
  }

  /** Whether a query returns this value. */
  boolean is(String value, String sql) throws SQLException {
    return value.equals(text(sql));
  }

  /**
   * Makes every heartbeat old, as if all processes had died. The server may have just been started,
   * so the lease must be over as well.
   */
  void bury() throws SQLException {
    server.execute(
        "update rota.worker set heartbeat_at = now() - interval '1 hour', lease = interval '0'");
  }

  /** Continues in place of the dead processes, until there is nothing left to run. */
  void drain() throws Exception {
    bury();
    if (expectation.isErased()) {
      return;
    }
    ManualDaemon daemon = server.daemon();
    String[] duties = {"look for dead workers", "look for due tasks", "look after graphs"};
    for (int pass = 0; pass == 0 || (pass < MOST_PASSES && !isDrained()); pass++) {
      execute(
          "update rota_%1$d.task_wait_%1$d set run_at = now() - interval '1 second'"
              + " where run_at > now()");
      daemon.perform(duties);
      try (Batch batch = sound.claim(100)) {
        batch.settle();
      }
    }
    if (archivesAtLast) {
      server.archivist().perform(ARCHIVING);
    }
  }

  private boolean isDrained() throws SQLException {
    return is("0", "select count(*) from rota_%1$d.task_init_%1$d") && !holdsNodes();
  }

  private boolean holdsNodes() throws SQLException {
    return is("t", "select to_regclass('rota_%1$d.task_held_%1$d') is not null")
        && is(
            "t",
            "select exists (select from rota_%1$d.task_held_%1$d)"
                + " or exists (select from rota_%1$d.task_spread_%1$d)");
  }

  /** Fails unless every task is in exactly one place, and in the expected state. */
  void verifyTasks() throws Exception {
    expectation.verify();
  }

  /** Fails if a connection, a transaction or an advisory lock is left over. */
  void verifyNothingIsLeft() throws Exception {
    Await.until(
        "all connections are back in their pool",
        () -> pool.getHikariPoolMXBean().getActiveConnections(),
        0);
    Await.until(
        "no transaction is open",
        () ->
            is(
                "0",
                "select count(*) from pg_stat_activity where datname = current_database()"
                    + " and state like 'idle in transaction%%'"));
    Await.until(
        "no advisory lock is held",
        () ->
            is(
                "0",
                "select count(*) from pg_locks where locktype = 'advisory' and database ="
                    + " (select oid from pg_database where datname = current_database())"));
  }

  @Override
  public void close() throws Exception {
    try (pool;
        rota) {
      for (AutoCloseable each : opened) {
        each.close();
      }
    }
    server.remove(sound.number());
  }
}
