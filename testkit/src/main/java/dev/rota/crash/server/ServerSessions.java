package dev.rota.crash.server;

import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Connections to a server, and queries for tests. Thread-safe. */
public abstract class ServerSessions {

  /** The application name of the test's own sessions, which are not those of the tested code. */
  public static final String TEST_SESSIONS = "test";

  private static final long BACKEND_ENDS_WITHIN_MILLIS = 5_000;

  ServerSessions() {}

  /** The port on this machine, the same after each restart. */
  public abstract int port();

  /** The URL of database {@code postgres}, as superuser. */
  public String jdbcUrl() {
    return "jdbc:postgresql://127.0.0.1:" + port() + "/postgres?user=postgres";
  }

  /** The same URL for sessions that are named {@link #TEST_SESSIONS}. */
  public String jdbcUrlOfTest() {
    return jdbcUrl() + "&ApplicationName=" + TEST_SESSIONS;
  }

  /** Opens a connection of the test in auto-commit mode. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(jdbcUrlOfTest());
  }

  /** Runs statements in auto-commit mode, on a separate connection. */
  public void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Returns the first column of a query's result. */
  public List<@Nullable String> texts(String sql) throws SQLException {
    try (Connection connection = connect()) {
      return TestDatabase.texts(connection, sql);
    }
  }

  /** Returns the one number of a query's result. */
  public long number(String sql) throws SQLException {
    return Long.parseLong(texts(sql).get(0));
  }

  /** The number of the backend that serves a connection. */
  public static int backendOf(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
      row.next();
      return row.getInt(1);
    }
  }

  /**
   * Ends one backend with {@code pg_terminate_backend}; it is gone when this returns.
   *
   * @return false if there was none, or if it has not ended within 5 seconds
   */
  public boolean terminateBackend(int pid) throws SQLException {
    String end = "select pg_terminate_backend(%d, %d)".formatted(pid, BACKEND_ENDS_WITHIN_MILLIS);
    return texts(end).get(0).equals("t");
  }
}
