package dev.rota.benchmarks;

import dev.rota.cli.database.LocalServer;
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

  private final Server server;
  private final String name;

  private record Server(String url, Runnable stop) {}

  private TrialDatabase(Server server, String name) {
    this.server = server;
    this.name = name;
  }

  /**
   * An empty one on the server of the run; without a server, as when JMH is started by an IDE, on
   * one of its own.
   */
  static TrialDatabase create() throws SQLException {
    return create(0);
  }

  /** One in which so many tenants of Rota are registered. */
  static TrialDatabase create(int tenants) throws SQLException {
    String given = System.getProperty(SERVER_PROPERTY);
    if (given != null) {
      return create(new Server(given, () -> {}), tenants);
    }
    LocalServer embedded = LocalServer.temporary();
    return create(new Server(embedded.jdbcUrl(), embedded::close), tenants);
  }

  private static TrialDatabase create(Server server, int tenants) throws SQLException {
    String template = tenants == 0 ? "template1" : Templates.of(server.url(), tenants);
    String name = "rota_benchmark_" + Long.toString(System.nanoTime(), Character.MAX_RADIX);
    execute(
        server.url(), "create database " + name + " template " + template + " strategy file_copy");
    // The first change of a page after a checkpoint is logged in full: equally far for each trial.
    execute(server.url(), "checkpoint");
    return new TrialDatabase(server, name);
  }

  /** How to connect. */
  String url() {
    return withDatabase(server.url(), name);
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
    try (Connection connection = DriverManager.getConnection(server.url());
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn")) {
      row.next();
      return row.getLong(1);
    }
  }

  static void execute(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public void close() throws SQLException {
    execute(server.url(), "drop database " + name + " with (force)");
    server.stop().run();
  }
}
