package dev.rota.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;

/**
 * Finds out whether a pooler gives the server process of a connection to others between its
 * transactions. What belongs to a session, as LISTEN or a lock, would stay with the pooler then.
 *
 * <p>A pooler tells the driver a process number of its own. Whether it keeps sessions shows while
 * another connection is in a transaction: that one has the process, or this one gets another. On a
 * busy pooler chance may hide that once, so it is tried several times.
 */
public final class PoolerProbe {

  private static final String PURPOSE = "look for a pooler";

  private static final int TRIES = 10;

  private final Database database;

  /** One that borrows the other connection from this pool. */
  public PoolerProbe(Database database) {
    this.database = database;
  }

  /** Whether it does. False where the pool hides the driver's connection. */
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
    return database.tryTransaction(
        PURPOSE,
        other -> other.run(Backends.PROCESS).get(0) == process || processOf(connection) != process);
  }

  private int processOf(Connection connection) throws SQLException {
    return database.transactionOn(
        connection, database.settings(), PURPOSE, session -> session.run(Backends.PROCESS).get(0));
  }
}
