package dev.rota.internal.pool;

import dev.rota.internal.db.SqlErrors;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Opens the connections of a pool that Rota creates itself. Thread-safe.
 *
 * <p>While the server is unavailable it keeps trying by itself, several times a second. The pool
 * alone would double its wait after each failure, up to five seconds. All callers would wait as
 * long when the server is back. The pool gets each new reason, so that it can report it to waiting
 * callers. It also gets every failure that time does not solve, such as a wrong password.
 */
final class JdbcUrlDataSource extends BareDataSource {

  private static final long SHORTEST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 200;

  private final String url;
  private final Properties properties;
  private final AtomicReference<@Nullable Connection> met = new AtomicReference<>();
  private volatile @Nullable String told;

  private JdbcUrlDataSource(Login login) {
    this.url = login.url();
    this.properties = login.properties();
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty("loginTimeout", "10");
    properties.setProperty("ApplicationName", "rota");
    // The driver would avoid a host of several for ten seconds after it was not the primary.
    properties.setProperty("hostRecheckSeconds", "1");
  }

  /**
   * Refuses a URL that no driver accepts, since waiting would not help. The URL is not shown, since
   * it may hold a secret.
   */
  static JdbcUrlDataSource to(Login login) {
    try {
      DriverManager.getDriver(login.url());
    } catch (SQLException e) {
      throw new IllegalArgumentException(
          "no JDBC driver knows URLs like the one given; use jdbc:postgresql://host:5432/database,"
              + " or put the driver that wraps PostgreSQL's on the class path");
    }
    return new JdbcUrlDataSource(login);
  }

  /** Connects, in one attempt; the pool takes that connection. */
  void meet() throws SQLException {
    met.set(connect());
  }

  /** Closes a connection that no pool will take. */
  void hangUp() throws SQLException {
    Connection unused = met.getAndSet(null);
    if (unused != null) {
      unused.close();
    }
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(url, properties);
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection first = met.getAndSet(null);
    return first == null ? dial() : first;
  }

  private Connection dial() throws SQLException {
    while (true) {
      try {
        Connection connection = connect();
        told = null;
        return connection;
      } catch (SQLException e) {
        if (isNews(e)) {
          throw e;
        }
        pause(e);
      }
    }
  }

  private boolean isNews(SQLException e) {
    String reason = Objects.requireNonNullElse(e.getMessage(), "");
    boolean known = SqlErrors.isUnavailable(e) && reason.equals(told);
    told = reason;
    return !known;
  }

  private static void pause(SQLException reason) throws SQLException {
    try {
      Thread.sleep(
          ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS));
    } catch (InterruptedException e) {
      // The pool is being closed.
      Thread.currentThread().interrupt();
      throw reason;
    }
  }

  @Override
  public void setLoginTimeout(int seconds) {
    properties.setProperty("loginTimeout", Integer.toString(seconds));
  }

  @Override
  public int getLoginTimeout() {
    return Integer.parseInt(properties.getProperty("loginTimeout", "0"));
  }
}
