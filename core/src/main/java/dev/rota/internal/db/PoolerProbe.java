package dev.rota.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;

/**
 * Detects whether a pooler gives the server process of a connection to other clients between its
 * transactions. State of a session, such as LISTEN or a lock, would stay with the pooler then.
 *
 * <p>A pooler gives the driver a process number of its own. Two tests show whether it keeps
 * sessions. A pooler that lends processes in turn shows another one in one of two transactions. A
 * pooler that lends the last returned one gives it to another connection right after this one's
 * transaction. On a busy pooler chance may hide both once, so they are tried several times.
 */
public final class PoolerProbe {

  private static final String PURPOSE = "look for a pooler";

  private static final int TRIES = 10;

  private final Database database;

  /** Creates a probe that borrows its second connection from this pool. */
  public PoolerProbe(Database database) {
    this.database = database;
  }

  /** Whether the pooler exchanges sessions. False where the pool hides the driver's connection. */
  public boolean exchangesSessions(Connection connection) throws SQLException {
    if (!connection.isWrapperFor(PGConnection.class)) {
      return false;
    }
    int process = processOf(connection);
    if (process == connection.unwrap(PGConnection.class).getBackendPID()) {
      return false;
    }
    for (int i = 0; i < TRIES; i++) {
      if (exchanges(connection, process)) {
        return true;
      }
    }
    return false;
  }

  private boolean exchanges(Connection connection, int process) throws SQLException {
    return exchangesInTurn(connection, process)
        || database.tryTransaction(
            PURPOSE,
            other ->
                other.run(Backends.PROCESS).get(0) == process || processOf(connection) != process);
  }

  /**
   * Runs two transactions in a row. A pooler that lends in turn shows another process in one of
   * them. Any other pooler lends this connection's process next, unless another session takes it.
   */
  private boolean exchangesInTurn(Connection connection, int process) throws SQLException {
    int first = processOf(connection);
    return first != process || processOf(connection) != first;
  }

  private int processOf(Connection connection) throws SQLException {
    return database
        .transactionOn(connection, database.settings(), PURPOSE, Database.alone(Backends.PROCESS))
        .get()
        .get(0);
  }
}
