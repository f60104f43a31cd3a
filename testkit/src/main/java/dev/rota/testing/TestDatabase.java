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
 * <p>The server is started once per JVM and stopped with it. It is the first of these that there
 * is: the one whose JDBC URL stands in the environment variable {@code ROTA_TEST_JDBC_URL} (its
 * user must be allowed to create databases), one in Docker, one unpacked from a jar.
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

  /** Fills an empty database with what many tests begin with, and leaves no connection open. */
  @FunctionalInterface
  public interface Preparation {
    void fill(String jdbcUrl);
  }

  /** A fresh database on this JVM's server, PostgreSQL 18 unless the environment gives another. */
  public static TestDatabase create() {
    return new TestDatabase(TestServer.shared());
  }

  /**
   * A fresh database on a server of this major version, 15 to 18, unpacked from a jar whatever the
   * environment offers. Skips the calling test where no such jar fits the machine.
   */
  public static TestDatabase onVersion(int major) {
    return new TestDatabase(TestServer.embedded(major));
  }

  /**
   * Like {@link #create()}, but a copy of a database that was filled once for this JVM: much
   * quicker than to fill each anew.
   *
   * @param preparation the same for all callers that give this key
   */
  public static TestDatabase copyOf(String key, Preparation preparation) {
    return copyOn(TestServer.shared(), key, preparation);
  }

  /** Like {@link #copyOf}, on a server of this major version; see {@link #onVersion}. */
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
   * A copy of this database as it is, on the same server: what a backup of this moment brings back.
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

  /** A source of new connections, each opened when asked for and closed by the caller; no pool. */
  public DataSource dataSource() {
    return source();
  }

  /** A new connection in auto-commit mode. */
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
   * The first column of what a query returns, in a transaction of its own. Runs on a session that
   * is kept for further queries, since most ask again and again until something holds: leave
   * nothing in it. Thread-safe.
   */
  public List<@Nullable String> texts(String query) throws SQLException {
    Connection kept = idle.poll();
    if (kept != null) {
      try {
        return keepAfter(kept, query);
      } catch (SQLException e) {
        // Tests end sessions as they like. What is wrong with the query itself shows again.
      }
    }
    return keepAfter(connect(), query);
  }

  /** The one number that a query returns; see {@link #texts(String)}. */
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

  /** The first column of what a query on this connection returns. */
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

  /** The password of {@link #user()}; empty if the server asks for none. */
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
