package dev.rota.internal.pool;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.SQLExceptionOverride;
import com.zaxxer.hikari.pool.HikariPool;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Database.MeasuredPool;
import dev.rota.internal.db.Database.PinnedConnection;
import dev.rota.internal.db.Destination;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.log.Logs;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The pool that Rota creates from a JDBC URL. Connects when it is first used. Thread-safe.
 *
 * <p>The first attempt decides: a wrong host, port, database or password fails at once, and the
 * exception names the destination. A pool that has connected once waits for its server to come
 * back, up to ten seconds. The first attempt waits as well for a server that is about to accept
 * connections.
 *
 * <p>It does not use HikariCP's {@code DataSource}, which logs each start and stop at INFO.
 */
public final class ConnectionPool extends BareDataSource implements MeasuredPool, AutoCloseable {

  private static final Logger log = Logs.of(ConnectionPool.class);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** How many connections stay open that no thread uses: a server has many processes to serve. */
  private static final int LEAST_IDLE = 2;

  /** How soon a waiting thread looks again for connections that others keep and do not use. */
  private static final long STEP_MILLIS = 50;

  private final JdbcUrlDataSource dialer;
  private final Destination destination;
  private final HikariConfig config;
  private final AtomicReference<@Nullable FutureTask<HikariPool>> opening = new AtomicReference<>();
  private final Set<PinnedConnection> pinned = ConcurrentHashMap.newKeySet();
  private volatile @Nullable HikariPool pool;
  private volatile boolean closed;

  public ConnectionPool(String jdbcUrl, int size) {
    Login login = Login.of(jdbcUrl);
    this.dialer = JdbcUrlDataSource.to(login);
    this.destination = Destination.of(login.url());
    this.config = new HikariConfig();
    config.setDataSource(dialer);
    config.setPoolName("rota");
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(Math.min(size, LEAST_IDLE));
    config.setAutoCommit(false);
    // Set explicitly: otherwise the pool queries its first connection, and never works if that one
    // breaks.
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    config.setInitializationFailTimeout(-1);
    config.setConnectionTimeout(PATIENCE.toMillis());
    config.setExceptionOverride(new UnsupportedStatements());
    config.validate();
  }

  /**
   * Keeps connections whose server does not support a statement. HikariCP takes that for the end of
   * the connection, and closed the leader's for a statement of one tenant.
   */
  private static final class UnsupportedStatements implements SQLExceptionOverride {

    // The interface has a type of the short name.
    @java.lang.Override
    public SQLExceptionOverride.Override adjudicate(SQLException e) {
      return SqlErrors.isUnsupported(e)
          ? SQLExceptionOverride.Override.DO_NOT_EVICT
          : SQLExceptionOverride.Override.CONTINUE_EVICT;
    }
  }

  @Override
  public Connection getConnection() throws SQLException {
    if (closed) {
      throw new SQLException("this Rota was closed, and its pool with it");
    }
    HikariPool opened = pool;
    return borrow(opened == null ? open() : opened);
  }

  /**
   * Borrows a connection. While threads keep connections over their transactions, it waits in short
   * steps, and reclaims one that its thread does not use.
   */
  private Connection borrow(HikariPool from) throws SQLException {
    Duration patience = Database.limited(PATIENCE);
    if (pinned.isEmpty()) {
      return from.getConnection(patience.toMillis());
    }
    long begun = System.nanoTime();
    while (true) {
      if (from.getActiveConnections() >= config.getMaximumPoolSize()) {
        boolean unused = pinned.stream().anyMatch(PinnedConnection::reclaim);
      }
      try {
        return from.getConnection(STEP_MILLIS);
      } catch (SQLTransientConnectionException e) {
        Duration waited = Duration.ofNanos(System.nanoTime() - begun);
        if (waited.compareTo(patience) >= 0) {
          throw afterAll(e, waited);
        }
      }
    }
  }

  /** The failure of the last step, with the time of all steps. */
  private static SQLException afterAll(SQLTransientConnectionException last, Duration waited) {
    SQLException failure =
        new SQLTransientConnectionException(
            "no connection for %d ms: %s".formatted(waited.toMillis(), last.getMessage()),
            last.getSQLState(),
            last.getCause());
    failure.setNextException(last.getNextException());
    return failure;
  }

  @Override
  public void add(PinnedConnection connection) {
    boolean unused = pinned.add(connection);
  }

  @Override
  public void remove(PinnedConnection connection) {
    boolean unused = pinned.remove(connection);
  }

  @Override
  public boolean isAwaited() {
    HikariPool opened = pool;
    return opened != null && opened.getThreadsAwaitingConnection() > 0;
  }

  @Override
  public boolean isHalfFree() {
    HikariPool opened = pool;
    return opened != null && 2 * opened.getActiveConnections() <= config.getMaximumPoolSize();
  }

  /** Opens the pool. Several callers share one attempt, and its failure. */
  private HikariPool open() throws SQLException {
    FutureTask<HikariPool> own = new FutureTask<>(this::connect);
    FutureTask<HikariPool> shared = opening.compareAndExchange(null, own);
    FutureTask<HikariPool> attempt = shared == null ? own : shared;
    attempt.run();
    try {
      return attempt.get();
    } catch (ExecutionException e) {
      boolean unused = opening.compareAndSet(attempt, null);
      throw e.getCause() instanceof SQLException failure
          ? destination.failure(failure)
          : new SQLException("cannot connect to " + destination, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("interrupted while connecting to " + destination, e);
    }
  }

  private HikariPool connect() throws SQLException {
    try {
      dialer.meet();
    } catch (SQLException e) {
      if (!SqlErrors.isAboutToEnd(e)) {
        throw e;
      }
      log.info("Rota waits for {}: {}", destination, SqlErrors.firstLineOf(e));
    }
    return start();
  }

  private synchronized HikariPool start() throws SQLException {
    if (closed) {
      dialer.hangUp();
      throw new SQLException("this Rota was closed while it connected");
    }
    HikariPool started = new HikariPool(config);
    pool = started;
    return started;
  }

  /** Closes the pool. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
    HikariPool opened = pool;
    if (opened != null) {
      try {
        opened.shutdown();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
