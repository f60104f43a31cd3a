package dev.rota.benchmarks;

import dev.rota.cli.EmbeddedServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A new database for one trial, dropped at its end, so that no trial finds traces of another. */
final class TrialDatabase implements AutoCloseable {

  /** Where {@link Main} tells the JVMs of the trials the server of the run. */
  static final String SERVER_PROPERTY = "jdbc.url";

  private static final Pattern URL = Pattern.compile("(jdbc:postgresql://[^/?]*)(/[^?]*)?(\\?.*)?");

  private final String serverUrl;
  private final String name;
  private final Runnable stopServer;

  private TrialDatabase(String serverUrl, String name, Runnable stopServer) {
    this.serverUrl = serverUrl;
    this.name = name;
    this.stopServer = stopServer;
  }

  /**
   * On the server of the run; without one, as when JMH is started by an IDE, on a server of its
   * own.
   */
  static TrialDatabase create() throws SQLException {
    String given = System.getProperty(SERVER_PROPERTY);
    if (given != null) {
      return create(given, () -> {});
    }
    EmbeddedServer server = EmbeddedServer.temporary();
    return create(server.jdbcUrl(), server::close);
  }

  private static TrialDatabase create(String serverUrl, Runnable stopServer) throws SQLException {
    String name = "rota_benchmark_" + Long.toString(System.nanoTime(), Character.MAX_RADIX);
    TrialDatabase database = new TrialDatabase(serverUrl, name, stopServer);
    database.onServer("create database " + name);
    // The first change of a page after a checkpoint is logged in full: equally far for each trial.
    database.onServer("checkpoint");
    return database;
  }

  /** How to connect. */
  String url() {
    return withDatabase(serverUrl, name);
  }

  /** The same URL for another database. */
  static String withDatabase(String url, String name) {
    Matcher parts = URL.matcher(url);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "jdbc.url is " + url + "; it must begin with jdbc:postgresql://host");
    }
    String options = parts.group(3) == null ? "" : parts.group(3);
    return parts.group(1) + "/" + name + options;
  }

  /** How many bytes of log the server has written since it was made. */
  long walBytes() throws SQLException {
    try (Connection connection = DriverManager.getConnection(serverUrl);
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn")) {
      row.next();
      return row.getLong(1);
    }
  }

  private void onServer(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(serverUrl);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public void close() throws SQLException {
    onServer("drop database " + name + " with (force)");
    stopServer.run();
  }
}
