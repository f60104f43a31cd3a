package dev.rota.crash.server;

import dev.rota.testing.Await;
import dev.rota.testing.ClientProgram;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Replaces the database {@code postgres} by a copy with all rows packed again. Where {@code
 * pg_dump} and {@code psql} are new enough for the server, they dump and restore it. Otherwise the
 * server makes the copy, and {@code VACUUM FULL} packs its tables as a restore does.
 */
public final class DatabaseCopy {

  private static final AtomicInteger NUMBERS = new AtomicInteger();
  private static final String NAME = "postgres";

  private static final String TABLES =
      """
      select n.nspname || '.' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and n.nspname like 'rota%'""";

  private final ControlledServer server;
  private final String old = "old_" + NUMBERS.incrementAndGet();
  private final String fresh = "new_" + NUMBERS.incrementAndGet();

  private DatabaseCopy(ControlledServer server) {
    this.server = server;
  }

  /** Replaces the database; sessions of the old one are ended. */
  public static void replace(ControlledServer server) throws Exception {
    DatabaseCopy copy = new DatabaseCopy(server);
    copy.rename(NAME, copy.old);
    if (isDumped(server.major())) {
      copy.dumpAndRestore();
    } else {
      copy.copyAndPack();
    }
    copy.rename(copy.fresh, NAME);
    copy.administer("drop database " + copy.old);
  }

  /** Whether a server of this version is dumped and restored. */
  public static boolean isDumped(int major) {
    return program("pg_dump", major).isPresent() && program("psql", major).isPresent();
  }

  private static Optional<ClientProgram> program(String name, int major) {
    return ClientProgram.findForServer(major, name);
  }

  private void dumpAndRestore() throws Exception {
    administer("create database " + fresh + " template template0");
    ClientProgram dump = program("pg_dump", server.major()).orElseThrow();
    ClientProgram psql = program("psql", server.major()).orElseThrow();
    ClientProgram.pipe(
        dump.command(uri(old)),
        psql.command(uri(fresh), "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1"));
  }

  private String uri(String database) {
    return "postgresql://postgres@127.0.0.1:" + server.port() + "/" + database;
  }

  private void copyAndPack() throws SQLException {
    administer("create database " + fresh + " template " + old);
    try (Connection connection = connect(fresh);
        Statement statement = connection.createStatement()) {
      for (String table : TestDatabase.texts(connection, TABLES)) {
        statement.execute("vacuum full " + table);
      }
    }
  }

  private void rename(String from, String to) throws Exception {
    Await.until(from + " is renamed", () -> isRenamed(from, to));
  }

  /**
   * Renames the database, and returns whether it succeeded. Clients may connect again between the
   * end of their sessions and the rename.
   */
  private boolean isRenamed(String from, String to) throws SQLException {
    try {
      administer(
          "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '"
              + (from + "'"));
      administer("alter database " + from + " rename to " + to);
      return true;
    } catch (SQLException e) {
      if (e.getSQLState().equals("55006")) {
        return false;
      }
      throw e;
    }
  }

  private void administer(String sql) throws SQLException {
    try (Connection connection = connect("template1");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private Connection connect(String database) throws SQLException {
    return DriverManager.getConnection(server.jdbcUrlOfTest().replace("/" + NAME, "/" + database));
  }
}
