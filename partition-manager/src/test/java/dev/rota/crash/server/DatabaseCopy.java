package dev.rota.crash.server;

import dev.rota.processes.Waiting;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Puts a copy of the database {@code postgres} in its place, with all rows packed anew: what {@code
 * pg_dump} tells and {@code psql} reads where these programs are new enough for the server. Where
 * they are not, the copy is made by the server, and {@code VACUUM FULL} packs its tables as a
 * restore does.
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

  /** Does it; sessions of the old database are ended. */
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

  /** Whether a server of this version is really dumped and restored. */
  public static boolean isDumped(int major) throws IOException, InterruptedException {
    return program("pg_dump", major).isPresent() && program("psql", major).isPresent();
  }

  private static Optional<Path> program(String name, int major)
      throws IOException, InterruptedException {
    return PostgresPrograms.find(name, major);
  }

  private void dumpAndRestore() throws Exception {
    administer("create database " + fresh + " template template0");
    List<Process> pipeline =
        ProcessBuilder.startPipeline(
            List.of(
                command("pg_dump", "--no-password", old),
                command(
                    "psql", "--no-password", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", fresh)));
    for (Process each : pipeline) {
      if (each.waitFor() != 0) {
        throw new IOException("dump and restore of " + old + " failed: " + each.info());
      }
    }
  }

  private ProcessBuilder command(String program, String... arguments)
      throws IOException, InterruptedException {
    Path path = program(program, server.major()).orElseThrow();
    ProcessBuilder command =
        new ProcessBuilder(
            path.toString(), "-h", "127.0.0.1", "-p", Integer.toString(server.port()));
    command.command().addAll(List.of("-U", "postgres"));
    command.command().addAll(List.of(arguments));
    command.redirectError(ProcessBuilder.Redirect.appendTo(server.log().toFile()));
    return program.equals("psql")
        ? command.redirectOutput(ProcessBuilder.Redirect.DISCARD)
        : command;
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
    Waiting.until(from + " is renamed", () -> isRenamed(from, to));
  }

  /** Others may come again between the end of their sessions and the new name. */
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
