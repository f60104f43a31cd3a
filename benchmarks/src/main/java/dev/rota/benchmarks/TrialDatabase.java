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

  /** The property by which {@link Main} passes the server of the run to the JVMs of the trials. */
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
   * Creates an empty database on the server of the run; without one, as when an IDE starts JMH, on
   * a new server.
   */
  static TrialDatabase create() throws SQLException {
    return create(0);
  }

  /** Creates a database with a number of registered tenants of Rota. */
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
    // The first change of a page after a checkpoint is logged in full: the checkpoint gives each
    // trial the same distance.
    execute(server.url(), "checkpoint");
    return new TrialDatabase(server, name);
  }

  /** The JDBC URL. */
  String url() {
    return withDatabase(server.url(), name);
  }

  /** Returns the same URL for another database. */
  static String withDatabase(String url, String name) {
    Matcher parts = URL.matcher(url);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "jdbc.url is " + url + "; it must begin with jdbc:postgresql://host");
    }
    String options = parts.group(3) == null ? "" : parts.group(3);
    return parts.group(1) + "/" + name + options;
  }

  /** The bytes of log that the server has written since it was created. */
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
