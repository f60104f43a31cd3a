package dev.rota.daemon;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.Tenant;
import dev.rota.daemon.internal.DaemonBuilder;
import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** A fresh database with Rota in it, and Rotas and daemons over it; all are closed together. */
final class DaemonFixture extends RotaFixture {

  /** The locks of the daemons that lead: the rest of a query. */
  static final String LEADERS =
      " from pg_locks where locktype = 'advisory' and granted and objid::bigint = 4294967295"
          + " and database = (select oid from pg_database where datname = current_database())";

  DaemonFixture() {
    this(MigratedDatabase.create());
  }

  /** On a server of that major version. */
  DaemonFixture(int major) {
    this(MigratedDatabase.onVersion(major));
  }

  /** Over a database of the test's own. */
  DaemonFixture(TestDatabase database) {
    super(database, builder -> builder.poolSize(4).registryRefresh(Duration.ofMillis(100)));
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

  String text(String sql) throws SQLException {
    List<String> texts = texts(sql);
    return texts.isEmpty() ? "no row" : texts.get(0);
  }

  @Override
  public List<String> texts(String sql) throws SQLException {
    return super.texts(sql).stream().map(String::valueOf).toList();
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
}
