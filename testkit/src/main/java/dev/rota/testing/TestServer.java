package dev.rota.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** A running PostgreSQL server on which tests create their databases. */
final class TestServer {
  /**
   * The settings of the test kit's servers. Durable, as in production: test servers are usually
   * not, and then show neither the cost of a commit nor the losses of a crash.
   */
  static final Map<String, String> SETTINGS =
      Map.of(
          "fsync", "on",
          "synchronous_commit", "on",
          "full_page_writes", "on",
          "shared_buffers", "256MB",
          "max_connections", "200",
          "max_locks_per_transaction", "256");

  private static final String GIVEN_URL = "ROTA_TEST_JDBC_URL";
  private static final int NEWEST = 18;
  private static final Map<Integer, TestServer> EMBEDDED = new ConcurrentHashMap<>();
  private static @Nullable TestServer shared;

  private final String origin;
  private final String adminUrl;
  private final Map<String, String> templates = new ConcurrentHashMap<>();

  TestServer(String origin, String adminUrl) {
    this.origin = origin;
    this.adminUrl = adminUrl;
  }

  /** This JVM's server, started by the first call. After a failure the next call tries again. */
  static synchronized TestServer shared() {
    TestServer server = shared;
    if (server == null) {
      server = start();
      shared = server;
    }
    return server;
  }

  /** This JVM's embedded server of that major version, started by the first call for it. */
  static TestServer embedded(int major) {
    return EMBEDDED.computeIfAbsent(major, EmbeddedServer::start);
  }

  /** A source of connections to the database that the server was created with, as superuser. */
  PGSimpleDataSource source() {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(adminUrl);
    return source;
  }

  /** The template database for this key, created by the first call. */
  String template(String key, Supplier<String> maker) {
    return templates.computeIfAbsent(key, unused -> maker.get());
  }

  /** Drops the templates, which matters only for a server that outlives this JVM. */
  private void dropTemplates() {
    templates.values().forEach(name -> execute("drop database if exists " + name));
  }

  String user() {
    return orEmpty(source().getUser());
  }

  String password() {
    return orEmpty(source().getPassword());
  }

  void execute(String sql) {
    try (Connection connection = source().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException("\"" + sql + "\" failed on " + this, e);
    }
  }

  @Override
  public String toString() {
    return "the " + origin + " PostgreSQL server";
  }

  private static String orEmpty(@Nullable String value) {
    return value == null ? "" : value;
  }

  private static TestServer start() {
    String given = System.getenv(GIVEN_URL);
    if (given != null && !given.isBlank()) {
      TestServer server = new TestServer("given (" + GIVEN_URL + ")", given);
      Runtime.getRuntime().addShutdownHook(new Thread(server::dropTemplates));
      return server;
    }
    TestServer container = ContainerServer.startIfPossible(NEWEST);
    return container != null ? container : embedded(NEWEST);
  }
}
