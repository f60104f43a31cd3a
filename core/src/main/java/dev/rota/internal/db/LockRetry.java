package dev.rota.internal.db;

import dev.rota.DatabaseException;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Changes tables that other sessions are using. They wait behind such a change, so each try waits
 * briefly for its locks, and several tries make up for it. Thread-safe.
 */
public final class LockRetry {

  /** How long each try waits for a lock. */
  public static final Duration LOCK_TIMEOUT = Duration.ofMillis(300);

  private static final int TRIES = 8;

  private final Database database;
  private final String locked;
  private final String advice;

  /**
   * Creates the retries for changes of one sort.
   *
   * @param locked the objects that other sessions may have locked, for the message
   * @param advice the remedy, for the message
   */
  public LockRetry(Database database, String locked, String advice) {
    this.database = database.withLockTimeout(LOCK_TIMEOUT);
    this.locked = locked;
    this.advice = advice;
  }

  /**
   * Makes the change in a separate transaction.
   *
   * @throws DatabaseException if other sessions hold locks at every try
   * @throws SQLException if it failed for another reason
   */
  public <T> T make(String purpose, TransactionBody<T> change) throws SQLException {
    return repeat(purpose, () -> database.tryTransaction(purpose, change));
  }

  /** A change that makes its transactions itself, with {@link #LOCK_TIMEOUT} in each. */
  @FunctionalInterface
  public interface Change<T> {
    T make() throws SQLException;
  }

  /**
   * Makes the change in transactions of its own.
   *
   * @throws DatabaseException if other sessions hold locks at every try
   * @throws SQLException if it failed for another reason
   */
  public <T> T repeat(String purpose, Change<T> change) throws SQLException {
    for (int attempt = 1; ; attempt++) {
      try {
        return change.make();
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
            + ": other sessions hold locks on "
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
