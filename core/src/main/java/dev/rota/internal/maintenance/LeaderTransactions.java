package dev.rota.internal.maintenance;

import dev.rota.internal.db.TransactionBody;
import java.sql.SQLException;

/**
 * Transactions on the connection that holds the leader's lock: a daemon that loses the connection
 * can change nothing any more. They wait 100 ms for a lock. Used by one thread.
 */
public interface LeaderTransactions {

  /**
   * Runs one transaction.
   *
   * @param purpose what it does and for which tenant, for error messages
   * @throws SQLException if the database refused; nothing is committed then
   * @throws LeadershipEndedException if the connection is gone
   */
  <T> T transaction(String purpose, TransactionBody<T> body) throws SQLException;

  /** Runs one transaction that reads a whole table, with up to ten minutes for a statement. */
  <T> T lengthyTransaction(String purpose, TransactionBody<T> body) throws SQLException;
}
