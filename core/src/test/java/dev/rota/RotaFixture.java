package dev.rota;

import dev.rota.internal.RotaBuilder;
import dev.rota.internal.db.StatementObserver;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.UnaryOperator;

/** A fresh database with the schema of Rota in it, and Rotas over it; all are closed together. */
public final class RotaFixture implements AutoCloseable {

  private final TestDatabase database;
  private final Deque<Rota> rotas = new ConcurrentLinkedDeque<>();
  private final Deque<Faults> scripts = new ConcurrentLinkedDeque<>();
  private final Rota rota;

  private RotaFixture(TestDatabase database) {
    this.database = database;
    this.rota = another();
  }

  private static void migrate(String jdbcUrl) {
    try (Rota rota = Rota.connect(jdbcUrl)) {
      rota.admin().migrate();
    }
  }

  /** On this JVM's server. */
  public static RotaFixture open() {
    return new RotaFixture(TestDatabase.copyOf("migrated", RotaFixture::migrate));
  }

  /** On a server of that major version. */
  public static RotaFixture onVersion(int major) {
    return new RotaFixture(TestDatabase.copyOnVersion(major, "migrated", RotaFixture::migrate));
  }

  public TestDatabase database() {
    return database;
  }

  /** The first Rota over the database. */
  public Rota rota() {
    return rota;
  }

  /** One more, as in another process: with a pool and a registry of its own. */
  public Rota another() {
    return another(builder -> builder);
  }

  /** One more, with settings of its own. */
  public Rota another(UnaryOperator<Rota.Builder> settings) {
    return observed(StatementObserver.NONE, settings);
  }

  /** One more, at whose calls the faults happen; the fixture closes the script with it. */
  public Rota observed(Faults faults) {
    return observed(faults, builder -> builder);
  }

  /** One more, with faults and with settings of its own. */
  public Rota observed(Faults faults, UnaryOperator<Rota.Builder> settings) {
    scripts.add(faults);
    return observed(new FaultObserver(faults), settings);
  }

  /**
   * One more, each of whose calls an observer sees. It gives up no lock that a test holds, however
   * long the machine stands still meanwhile.
   */
  public Rota observed(StatementObserver observer, UnaryOperator<Rota.Builder> settings) {
    Rota.Builder builder =
        RotaBuilder.lockTimeout(Rota.builder(database.jdbcUrl()).poolSize(4), Await.LONG);
    return closeLater(RotaBuilder.build(settings.apply(builder), observer));
  }

  /** Closes a Rota together with the others. */
  public Rota closeLater(Rota other) {
    rotas.addFirst(other);
    return other;
  }

  /** Runs statements in auto-commit mode. */
  public void execute(String sql) throws SQLException {
    database.execute(sql);
  }

  /** The one number that a query returns. */
  public long number(String sql) throws SQLException {
    return Long.parseLong(texts(sql).get(0));
  }

  /** The first column of what a query returns; see {@link TestDatabase#texts(String)}. */
  public List<String> texts(String sql) throws SQLException {
    return database.texts(sql);
  }

  /** The first column of what a query on this connection returns. */
  public static List<String> texts(Connection connection, String sql) throws SQLException {
    return TestDatabase.texts(connection, sql);
  }

  /** Waits until as many sessions of this database wait for a lock. */
  public void awaitBlocked(int sessions) throws Exception {
    Await.atLeast(
        sessions + " sessions wait for a lock",
        () ->
            number(
                "select count(*) from pg_stat_activity where datname = current_database()"
                    + " and cardinality(pg_blocking_pids(pid)) > 0"),
        sessions);
  }

  @Override
  public void close() {
    scripts.forEach(Faults::release);
    try {
      rotas.forEach(Rota::close);
    } finally {
      database.close();
    }
    scripts.forEach(Faults::close);
  }
}
