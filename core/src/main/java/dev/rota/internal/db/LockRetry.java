package dev.rota.internal.db;

import dev.rota.DatabaseException;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Changes of tables that others are using. Whoever uses them waits behind such a change, so each
 * try waits briefly for its locks, and several tries make up for it. Thread-safe.
 */
public final class LockRetry {

  private static final Duration LOCK_TIMEOUT = Duration.ofMillis(300);

  private static final int TRIES = 8;

  private final Database database;
  private final String locked;
  private final String advice;

  /**
   * Changes of one sort.
   *
   * @param locked what others may hold locks on, for the message
   * @param advice what to do then
   */
  public LockRetry(Database database, String locked, String advice) {
    this.database = database.withLockTimeout(LOCK_TIMEOUT);
    this.locked = locked;
    this.advice = advice;
  }

  /**
   * Makes the change in a transaction of its own.
   *
   * @throws DatabaseException if others hold locks all the time
   * @throws SQLException if it failed for another reason
   */
  public <T> T make(String purpose, TransactionBody<T> change) throws SQLException {
    for (int attempt = 1; ; attempt++) {
      try {
        return database.tryTransaction(purpose, change);
      } catch (SQLException e) {
        if (!SqlErrors.isLockConflict(e)) {
          throw e;
        }
        if (attempt == TRIES) {
          throw isLocked(purpose, e);
        }
      }
    }
  }

  private DatabaseException isLocked(String purpose, SQLException e) {
    return new DatabaseException(
        purpose
            + ": somebody holds locks on "
            + locked
            + " all the time ("
            + SqlErrors.firstLineOf(e)
            + "); "
            + advice,
        e,
        true,
        false);
  }
}
