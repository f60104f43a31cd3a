package dev.rota.crash.points;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rota.Batch;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.daemon.internal.HandDaemon;
import dev.rota.internal.RotaBuilder;
import dev.rota.internal.db.StatementObserver;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/**
 * Where one run of a scenario takes place: a fresh tenant, and a fresh Rota whose calls are
 * numbered and broken. Tasks are told apart by their payloads. Used by one thread.
 */
final class ScenarioEnvironment implements AutoCloseable {

  static final String KIND = "k";

  private static final int MOST_PASSES = 12;

  private static final String[] ARCHIVING = {
    "archive segments of history",
    "drop archived segments of history",
    "delete what is archived long enough"
  };

  private final PointsEnvironment bench;
  private final StatementFaults tap;
  private final HikariDataSource pool;
  private final Rota rota;
  private final Tenant sound;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final Expectation expectation;
  private boolean archivesAtLast;

  ScenarioEnvironment(
      PointsEnvironment bench,
      StatementFaults tap,
      StatementObserver observer,
      UnaryOperator<DataSource> wrapper) {
    this.bench = bench;
    this.tap = tap;
    this.pool = pool(bench);
    Rota.Builder builder = Rota.builder(wrapper.apply(pool)).archive(archive()).doorbell(false);
    this.rota = RotaBuilder.build(builder, observer);
    this.sound = bench.sound().tenants().register(bench.newName());
    this.expectation = new Expectation(bench, sound.number());
  }

  private static HikariDataSource pool(PointsEnvironment bench) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(bench.proxy().through(bench.database().jdbcUrl()));
    config.setMaximumPoolSize(4);
    config.setMinimumIdle(0);
    config.setInitializationFailTimeout(-1);
    config.setAutoCommit(false);
    return new HikariDataSource(config);
  }

  PointsEnvironment bench() {
    return bench;
  }

  /** The Rota whose calls are broken. */
  Rota rota() {
    return rota;
  }

  /** The tenant by the Rota whose calls are broken, which looks it up if it does not know it. */
  Tenant tapped() {
    return rota.tenants().get(sound.name());
  }

  /** The tenant by the Rota that nobody breaks. */
  Tenant sound() {
    return sound;
  }

  /** A daemon over the Rota whose calls are broken. */
  HandDaemon daemon() {
    return HandDaemon.leading(rota);
  }

  /** The same, of which only what belongs to its duties is numbered. */
  HandDaemon dutifulDaemon() {
    tap.heed(false);
    return HandDaemon.leading(rota, tap::heed);
  }

  /** The same that archives. */
  HandDaemon archivist() {
    tap.heed(false);
    return HandDaemon.archiving(rota, archive(), tap::heed);
  }

  Archive archive() {
    return bench.archive().archive();
  }

  /** In the end somebody archives what is to be archived, and drops and deletes what is old. */
  void archiveAtLast() {
    archivesAtLast = true;
  }

  /** A connection of the pool that is broken, in a transaction of the caller. */
  Connection callers() throws SQLException {
    return pool.getConnection();
  }

  <T extends AutoCloseable> T closeLater(T closeable) {
    opened.addFirst(closeable);
    return closeable;
  }

  /** A name for a further tenant, which is removed with all that it has if there is one then. */
  String newName() {
    String name = bench.newName();
    opened.addFirst(() -> bench.removeIfThere(name));
    return name;
  }

  static NewTask task(String label) {
    return NewTask.of(KIND, label);
  }

  static List<NewTask> tasks(String... labels) {
    return Arrays.stream(labels).map(ScenarioEnvironment::task).toList();
  }

  /** How these tasks must end, each of them once: as history calls it, or "" for not at all. */
  void expect(String end, String... labels) {
    for (String label : labels) {
      expectation.add(label, end);
    }
  }

  /** Enqueues tasks that end well unless something else is said. */
  List<Long> enqueue(String... labels) {
    expect("done", labels);
    return sound.enqueueAll(tasks(labels));
  }

  /** The tasks may just as well not exist, all together: their caller was told so. */
  void forgive() {
    expectation.forgive();
  }

  /** The tenant must be gone with all that it has, which is returned. */
  List<String> expectErasure() throws SQLException {
    expectation.eraseTenant();
    return expectation.belongings().of(sound.number());
  }

  /** Runs a statement, {@code %1$d} being the number of the tenant. */
  void execute(String sql) throws SQLException {
    bench.execute(sql.formatted(sound.number()));
  }

  /** The first value that a query returns, {@code %1$d} being the number of the tenant. */
  String text(String sql) throws SQLException {
    List<String> texts = bench.texts(sql.formatted(sound.number()));
    return texts.isEmpty() ? "no row" : texts.get(0);
  }

  /** Whether a query returns this. */
  boolean is(String value, String sql) throws SQLException {
    return value.equals(text(sql));
  }

  /**
   * Lets every heartbeat be old, as if all processes had died. The server may have been started
   * just now, so the lease must be over as well.
   */
  void bury() throws SQLException {
    bench.execute(
        "update rota.worker set heartbeat_at = now() - interval '1 hour', lease = interval '0'");
  }

  /** Others go on where processes died, until nothing is left to run. */
  void drain() throws Exception {
    bury();
    if (expectation.isErased()) {
      return;
    }
    HandDaemon daemon = bench.daemon();
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
      bench.archivist().perform(ARCHIVING);
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

  /** Fails unless every task stands in exactly one place, and ended as it must. */
  void verifyTasks() throws Exception {
    expectation.verify();
  }

  /** Fails if a connection, a transaction or an advisory lock is left over. */
  void verifyNothingIsLeft() throws Exception {
    PointsEnvironment.await(
        "all connections are back in their pool",
        () -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
    PointsEnvironment.await(
        "no transaction is open",
        () ->
            is(
                "0",
                "select count(*) from pg_stat_activity where datname = current_database()"
                    + " and state like 'idle in transaction%%'"));
    PointsEnvironment.await(
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
    bench.remove(sound.number());
  }
}
