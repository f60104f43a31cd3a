package dev.rota.internal.db;

import dev.rota.internal.log.Logs;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A pool's connection that one busy thread keeps over its transactions, so that it finds the
 * statements that it prepared there. It goes back to the pool every tenth of a second, after a
 * failure, and when there is nothing to do. Other threads may wait for it. Used by one thread.
 */
public final class PinnedConnection implements ConnectionSource, AutoCloseable {

  private static final Logger log = Logs.of(PinnedConnection.class);

  private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final DataSource pool;
  private @Nullable Connection kept;
  private long takenAt;
  private long usedAt;

  PinnedConnection(DataSource pool) {
    this.pool = pool;
  }

  @Override
  public Connection take() throws SQLException {
    if (kept == null) {
      kept = pool.getConnection();
      takenAt = System.nanoTime();
    }
    return kept;
  }

  @Override
  public void giveBack(Connection connection, boolean intact) throws SQLException {
    usedAt = System.nanoTime();
    if (!intact || usedAt - takenAt > MOST_NANOS) {
      kept = null;
      connection.close();
    }
  }

  /** Returns the connection to the pool when there is nothing to do for some time. */
  public void rest() {
    if (System.nanoTime() - usedAt > IDLE_NANOS) {
      close();
    }
  }

  /** Returns the connection to the pool; the next transaction takes another. */
  @Override
  public void close() {
    if (kept != null) {
      try (Connection connection = kept) {
        kept = null;
      } catch (SQLException e) {
        log.debug("a connection could not be given back to its pool", e);
      }
    }
  }
}
