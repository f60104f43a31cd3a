package dev.rota.crash.interleaving;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** Queries the server which process waits for which. Used by the thread that directs a play. */
final class Waits implements AutoCloseable {

  private static final String BLOCKED =
      "select exists (select from unnest(?::int[]) p, unnest(pg_blocking_pids(p)) b"
          + " where b = any (?::int[]))";

  private static final String CANCEL =
      "select pg_cancel_backend(p) from unnest(?::int[]) p"
          + " where cardinality(pg_blocking_pids(p)) > 0";

  private final Connection connection;
  private final ThreadBoundPool pool;

  Waits(Connection connection, ThreadBoundPool pool) {
    this.connection = connection;
    this.pool = pool;
  }

  /** Whether a server process of this thread waits for one of these. */
  boolean isBlocked(Thread thread, List<Thread> others) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(BLOCKED)) {
      statement.setObject(1, pids(List.of(thread)));
      statement.setObject(2, pids(others));
      try (ResultSet row = statement.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  /** Cancels the statement with which the thread waits. */
  void cancel(Thread thread) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(CANCEL)) {
      statement.setObject(1, pids(List.of(thread)));
      statement.execute();
    }
  }

  private int[] pids(List<Thread> threads) {
    return threads.stream()
        .flatMap(thread -> pool.pidsOf(thread).stream())
        .mapToInt(Integer::intValue)
        .toArray();
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
