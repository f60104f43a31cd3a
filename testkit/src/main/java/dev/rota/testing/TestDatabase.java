package dev.rota.testing;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A fresh, empty database on a real PostgreSQL server, dropped when closed.
 *
 * <pre>{@code
 * try (TestDatabase database = TestDatabase.create()) {
 *   Rota rota = Rota.builder(database.dataSource()).build();
 * }
 * }</pre>
 *
 * <p>The server is started once per JVM and stopped with it. It uses, in this order: the server in
 * the environment variable {@code ROTA_TEST_JDBC_URL}, a Docker container, or a server unpacked
 * from a jar. The user of the URL must be allowed to create databases.
 */
public final class TestDatabase implements AutoCloseable {
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private final TestServer server;
  private final String name;
  private final Deque<Connection> idle = new ConcurrentLinkedDeque<>();

  private TestDatabase(TestServer server) {
    this(server, "template1");
  }

  private TestDatabase(TestServer server, String template) {
    this.server = server;
    this.name = "t_" + ProcessHandle.current().pid() + "_" + NUMBERS.incrementAndGet();
    server.execute("create database " + name + " template " + template);
  }

  /** Fills an empty database with the common start of many tests, and leaves no connection open. */
  @FunctionalInterface
  public interface Preparation {
    void fill(String jdbcUrl);
  }

  /** Creates a database on this JVM's server, PostgreSQL 18 unless the environment sets another. */
  public static TestDatabase create() {
    return new TestDatabase(TestServer.shared());
  }

  /**
   * Creates a database on a server of this major version, 15 to 18, unpacked from a jar whatever
   * the environment offers. Skips the calling test where no such jar fits the machine.
   */
  public static TestDatabase onVersion(int major) {
    return new TestDatabase(TestServer.embedded(major));
  }

  /**
   * Creates a database as {@link #create()} does, but as a copy of a database that was filled once
   * for this JVM. That is much faster than filling each one.
   *
   * @param preparation the same for all callers that give this key
   */
  public static TestDatabase copyOf(String key, Preparation preparation) {
    return copyOn(TestServer.shared(), key, preparation);
  }

  /**
   * Creates a copy as {@link #copyOf} does, on a server of this major version; see {@link
   * #onVersion}.
   */
  public static TestDatabase copyOnVersion(int major, String key, Preparation preparation) {
    return copyOn(TestServer.embedded(major), key, preparation);
  }

  private static TestDatabase copyOn(TestServer server, String key, Preparation preparation) {
    String template =
        server.template(
            key,
            () -> {
              TestDatabase filled = new TestDatabase(server);
              preparation.fill(filled.jdbcUrl());
              return filled.name();
            });
    return new TestDatabase(server, template);
  }

  /**
   * Copies this database in its present state, on the same server, as a restore of a backup would.
   * No other session may be connected to it.
   */
  public TestDatabase copy() throws SQLException {
    for (Connection kept = idle.poll(); kept != null; kept = idle.poll()) {
      kept.close();
    }
    return new TestDatabase(server, name);
  }

  /** The database's JDBC URL, with user and password in it. */
  public String jdbcUrl() {
    PGSimpleDataSource source = source();
    String url = source.getUrl();
    char separator = url.indexOf('?') < 0 ? '?' : '&';
    return url + separator + "user=" + encode(user()) + "&password=" + encode(password());
  }

  /** The address of the database for the programs of PostgreSQL, with the user in it. */
  public String uri() {
    PGSimpleDataSource source = source();
    String[] hosts = Objects.requireNonNull(source.getServerNames());
    return "postgresql://%s@%s:%d/%s"
        .formatted(encode(user()), hosts[0], source.getPortNumbers()[0], name);
  }

  /** A source of new connections, each opened on request and closed by the caller; no pool. */
  public DataSource dataSource() {
    return source();
  }

  /** Opens a connection in auto-commit mode. */
  public Connection connect() throws SQLException {
    return source().getConnection();
  }

  /** Runs one or more statements, in auto-commit mode. */
  public void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /**
   * Returns the first column of a query's result, in a separate transaction. It uses a session that
   * is kept for further queries, since most tests repeat a query until a condition holds: leave
   * nothing in it. Thread-safe.
   */
  public List<@Nullable String> texts(String query) throws SQLException {
    Connection kept = idle.poll();
    if (kept != null) {
      try {
        return keepAfter(kept, query);
      } catch (SQLException e) {
        // Tests may end any session. An error of the query itself shows again.
      }
    }
    return keepAfter(connect(), query);
  }

  /** Returns the one number of a query's result; see {@link #texts(String)}. */
  public long number(String query) throws SQLException {
    return Long.parseLong(texts(query).get(0));
  }

  private List<@Nullable String> keepAfter(Connection connection, String query)
      throws SQLException {
    try {
      List<@Nullable String> texts = texts(connection, query);
      idle.addFirst(connection);
      return texts;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /** Returns the first column of the result of a query on this connection. */
  public static List<@Nullable String> texts(Connection connection, String query)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      List<@Nullable String> texts = new ArrayList<>();
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
      return texts;
    }
  }

  /** The database's name on its server. */
  public String name() {
    return name;
  }

  /** The user that {@link #dataSource()} logs in as; owns the database. */
  public String user() {
    return server.user();
  }

  /** The password of {@link #user()}; empty if the server needs none. */
  public String password() {
    return server.password();
  }

  /** Drops the database, cutting the connections that are still open to it. May be repeated. */
  @Override
  public void close() {
    server.execute("drop database if exists " + name + " with (force)");
  }

  @Override
  public String toString() {
    return "database " + name + " on " + server;
  }

  private PGSimpleDataSource source() {
    PGSimpleDataSource source = server.source();
    source.setDatabaseName(name);
    return source;
  }

  private static String encode(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8);
  }
}
