package dev.rota;

import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.RotaBuilder;
import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.UnaryOperator;

/**
 * A fresh database with the schema of Rota, and Rotas over it; all are closed together. Fixtures of
 * features and of other modules extend it.
 */
public class RotaFixture implements AutoCloseable {

  private static final String BLOCKED =
      "select count(*) from pg_stat_activity where datname = current_database()"
          + " and cardinality(pg_blocking_pids(pid)) > 0";

  private final TestDatabase database;
  private final UnaryOperator<Rota.Builder> defaults;
  private final Deque<AutoCloseable> opened = new ConcurrentLinkedDeque<>();
  private final Deque<Faults> scripts = new ConcurrentLinkedDeque<>();
  private final Rota rota;

  /** Creates a fixture whose Rotas wait for a lock that a test holds, however long it takes. */
  public RotaFixture(TestDatabase database) {
    this(database, builder -> RotaBuilder.lockTimeout(builder.poolSize(4), Await.LONG));
  }

  /**
   * Creates a fixture over a migrated database, which is closed with it.
   *
   * @param defaults settings of all its Rotas; each Rota may override them
   */
  protected RotaFixture(TestDatabase database, UnaryOperator<Rota.Builder> defaults) {
    this.database = database;
    this.defaults = defaults;
    this.rota = another();
  }

  /** On this JVM's server. */
  public static RotaFixture open() {
    return new RotaFixture(MigratedDatabase.create());
  }

  /** On a server of that major version. */
  public static RotaFixture onVersion(int major) {
    return new RotaFixture(MigratedDatabase.onVersion(major));
  }

  public final TestDatabase database() {
    return database;
  }

  /** The first Rota over the database. */
  public final Rota rota() {
    return rota;
  }

  /** Registers a tenant and makes its tables, as its first task would. */
  public final Tenant tenant(String name) {
    return tenant(rota, name);
  }

  /** Registers a tenant through a Rota and makes its tables, as its first task would. */
  public static Tenant tenant(Rota rota, String name) {
    Tenant tenant = rota.tenants().register(name);
    makeTables(rota, tenant);
    return tenant;
  }

  /** Makes the tables of a tenant, as its first task would. */
  public static void makeTables(Rota rota, Tenant tenant) {
    Kernel kernel = DefaultRota.kernelOf(rota);
    kernel.tablesOnDemand().ensure(kernel.registry().get(tenant.number()));
  }

  /** The statements that park a tenant, as the daemon does. No process knows of it yet. */
  public static String parking(int tenant) {
    return """
        do $$
        declare
          name text;
        begin
          for name in select c.oid::regclass from pg_class c
                       where c.relnamespace = 'rota_%1$d'::regnamespace and c.relkind = 'r' loop
            execute 'drop table ' || name || ' cascade';
          end loop;
        end $$;
        update rota.segment set dropped_at = now() where tenant = %1$d;
        update rota.tenant set parked_at = now(), current_segment = current_segment + 1
         where number = %1$d"""
        .formatted(tenant);
  }

  /** One more, as in another process: with a pool and a registry of its own. */
  public final Rota another() {
    return another(builder -> builder);
  }

  /** One more, with settings of its own. */
  public final Rota another(UnaryOperator<Rota.Builder> settings) {
    return observed(StatementObserver.NONE, settings);
  }

  /** One more, at whose calls the faults happen; the fixture closes the script with it. */
  public final Rota observed(Faults faults) {
    return observed(faults, builder -> builder);
  }

  /** One more, with faults and with settings of its own. */
  public final Rota observed(Faults faults, UnaryOperator<Rota.Builder> settings) {
    scripts.add(faults);
    return observed(new FaultObserver(faults), settings);
  }

  /** One more, each of whose calls an observer sees. */
  public final Rota observed(StatementObserver observer, UnaryOperator<Rota.Builder> settings) {
    Rota.Builder builder = defaults.apply(Rota.builder(database.jdbcUrl()));
    return closeLater(RotaBuilder.build(settings.apply(builder), observer));
  }

  /** Closes an object together with the Rotas, in reverse order of opening. */
  public final <T extends AutoCloseable> T closeLater(T closeable) {
    opened.addFirst(closeable);
    return closeable;
  }

  /** Opens a connection for the test itself, and begins a transaction. */
  public final Connection begin() throws SQLException {
    Connection connection = closeLater(database.connect());
    connection.setAutoCommit(false);
    return connection;
  }

  /** Runs statements in auto-commit mode. */
  public final void execute(String sql) throws SQLException {
    database.execute(sql);
  }

  /** Runs statements on a connection. */
  public static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Returns the one number that a query selects. */
  public final long number(String sql) throws SQLException {
    return database.number(sql);
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
  public final void awaitBlocked(int sessions) throws SQLException {
    Await.atLeast(sessions + " sessions wait for a lock", () -> number(BLOCKED), sessions);
  }

  /** Closes everything, and fails if a fault of a script was not reached. */
  @Override
  public void close() {
    scripts.forEach(Faults::release);
    try {
      opened.forEach(RotaFixture::closeOne);
    } finally {
      database.close();
    }
    scripts.forEach(Faults::close);
  }

  private static void closeOne(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(closeable + " cannot be closed", e);
    }
  }
}
