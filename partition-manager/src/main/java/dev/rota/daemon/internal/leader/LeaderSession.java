package dev.rota.daemon.internal.leader;

import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session.TransactionSettings;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.db.TransactionBody;
import dev.rota.internal.maintenance.LeaderTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The leader's right to act: transactions on the connection that holds its lock. They end with a
 * {@link LeadershipLostException} when the connection is gone. Used by one thread.
 */
public final class LeaderSession implements LeaderTransactions {

  /**
   * The lock timeout: while the leader waits for a lock, all sessions behind it in the lock's queue
   * wait too.
   */
  static final Duration LOCK_PATIENCE = Duration.ofMillis(100);

  /** The timeout of statements that read a whole table. */
  static final Duration LONG_STATEMENT = Duration.ofMinutes(10);

  private final Database database;
  private final Connection connection;
  private final TransactionSettings brief;
  private final TransactionSettings lengthy;

  public LeaderSession(Database database, Connection connection) {
    this.database = database;
    this.connection = connection;
    this.brief = database.settings().withLockTimeout(LOCK_PATIENCE);
    this.lengthy = brief.forReading(LONG_STATEMENT);
  }

  @Override
  public <T> T transaction(String purpose, TransactionBody<T> body) throws SQLException {
    return on(brief, purpose, body);
  }

  @Override
  public <T> T lengthyTransaction(String purpose, TransactionBody<T> body) throws SQLException {
    return on(lengthy, purpose, body);
  }

  private <T> T on(TransactionSettings settings, String purpose, TransactionBody<T> body)
      throws SQLException {
    try {
      return database.transactionOn(connection, settings, purpose, body);
    } catch (SQLException e) {
      if (SqlErrors.isUnavailable(e) || connection.isClosed()) {
        throw new LeadershipLostException(e);
      }
      throw e;
    } catch (RuntimeException e) {
      if (SqlErrors.isConnectionLoss(e)) {
        throw new LeadershipLostException(e);
      }
      throw e;
    }
  }
}
