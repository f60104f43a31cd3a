package dev.rota.daemon;

import dev.rota.FaultObserver;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.daemon.internal.DaemonBuilder;
import dev.rota.internal.RotaBuilder;
import dev.rota.internal.db.StatementObserver;
import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.Faults;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** A fresh database with Rota in it, and Rotas and daemons over it; all are closed together. */
final class DaemonFixture implements AutoCloseable {

  private final TestDatabase database;
  private final Deque<AutoCloseable> opened = new ConcurrentLinkedDeque<>();
  private final Deque<Faults> scripts = new ConcurrentLinkedDeque<>();
  private final Rota rota;

  DaemonFixture() {
    this(MigratedDatabase.create());
  }

  /** On a server of that major version. */
  DaemonFixture(int major) {
    this(MigratedDatabase.onVersion(major));
  }

  /** Over a database of the test's own. */
  DaemonFixture(TestDatabase database) {
    this.database = database;
    this.rota = another();
  }

  TestDatabase database() {
    return database;
  }

  Rota rota() {
    return rota;
  }

  /** One more Rota, as in another process. */
  Rota another() {
    return another(builder -> builder);
  }

  Rota another(UnaryOperator<Rota.Builder> settings) {
    return observed(StatementObserver.NONE, settings);
  }

  /** One more, at whose calls the faults happen; they are closed with it. */
  Rota observed(Faults faults) {
    return observed(faults, builder -> builder);
  }

  /** The same with settings of its own. */
  Rota observed(Faults faults, UnaryOperator<Rota.Builder> settings) {
    scripts.add(faults);
    return observed(new FaultObserver(faults), settings);
  }

  Rota observed(StatementObserver observer, UnaryOperator<Rota.Builder> settings) {
    Rota.Builder builder =
        Rota.builder(database.jdbcUrl()).poolSize(4).registryRefresh(Duration.ofMillis(100));
    return closeLater(RotaBuilder.build(settings.apply(builder), observer));
  }

  /** A quick daemon in a process of its own. */
  RotationDaemon daemon(UnaryOperator<RotationDaemon.Builder> settings) {
    return daemon(another(), settings);
  }

  RotationDaemon daemon(Rota over, UnaryOperator<RotationDaemon.Builder> settings) {
    // With all of its time: no test of this package measures how it rests.
    RotationDaemon.Builder builder =
        RotationDaemon.builder(over)
            .rotateEvery(Duration.ofSeconds(1))
            .tick(Duration.ofMillis(20))
            .workShare(1);
    return closeLater(settings.apply(builder).start());
  }

  /** Settings of a daemon whose rings are due again at once, for tests that need many rotations. */
  static RotationDaemon.Builder quickRing(RotationDaemon.Builder settings) {
    return DaemonBuilder.shortPeriod(settings, Duration.ofMillis(200));
  }

  <T extends AutoCloseable> T closeLater(T closeable) {
    opened.addFirst(closeable);
    return closeable;
  }

  /** A session of the test's own, in a transaction. */
  Connection begin() throws SQLException {
    Connection connection = closeLater(database.connect());
    connection.setAutoCommit(false);
    return connection;
  }

  void execute(String sql) throws SQLException {
    database.execute(sql);
  }

  static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  long number(String sql) throws SQLException {
    return Long.parseLong(text(sql));
  }

  String text(String sql) throws SQLException {
    List<String> texts = texts(sql);
    return texts.isEmpty() ? "no row" : texts.get(0);
  }

  List<String> texts(String sql) throws SQLException {
    return database.texts(sql).stream().map(String::valueOf).toList();
  }

  /** A column of a tenant's row in the registry. */
  String tenant(Tenant tenant, String column) throws SQLException {
    return text("select " + column + " from rota.tenant where number = " + tenant.number());
  }

  static String slot(Tenant tenant, int slot) {
    return "rota_%1$d.task_init_%1$d_%2$d".formatted(tenant.number(), slot);
  }

  static String segment(Tenant tenant, int seq) {
    return "rota_%1$d.task_hist_%1$d_%2$d".formatted(tenant.number(), seq);
  }

  static String waiting(Tenant tenant) {
    return "rota_%1$d.task_wait_%1$d".formatted(tenant.number());
  }

  /** An INSERT of tasks into a slot behind Rota's back, as a producer with a stale pointer does. */
  static String insertion(Tenant tenant, int slot, String kind, int count) {
    return "insert into %s (id, created_at, attempt, kind, payload)".formatted(slot(tenant, slot))
        + " select nextval('rota.task_id'), now(), 0, '%s', '{}' from generate_series(1, %d)"
            .formatted(kind, count);
  }

  static List<NewTask> tasks(String kind, int count) {
    return IntStream.range(0, count).mapToObj(i -> NewTask.of(kind, "{}")).toList();
  }

  @Override
  public void close() throws Exception {
    scripts.forEach(Faults::release);
    try {
      for (AutoCloseable each : opened) {
        each.close();
      }
    } finally {
      database.close();
    }
    scripts.forEach(Faults::close);
  }
}
