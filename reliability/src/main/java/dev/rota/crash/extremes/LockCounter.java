package dev.rota.crash.extremes;

import dev.rota.crash.server.ControlledServer;
import dev.rota.testing.Faults;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Counts, during claims, how many locks of the cluster's table a backend holds. */
final class LockCounter implements AutoCloseable {

  /** The locks of the ledger's row in the flush of the COMMIT, after which no query can count. */
  private static final int OF_THE_LEDGER = 3;

  private static final String MOST =
      """
      select coalesce(max(held), 0) from (
        select count(*) as held from pg_locks l
          join pg_stat_activity a using (pid)
         where a.application_name = 'rota' group by pid) as each""";

  private static final String ALL =
      """
      select current_setting('max_locks_per_transaction')::int
             * current_setting('max_connections')::int""";

  private final Connection connection;
  private int most;
  private int looks;

  LockCounter(ControlledServer server) throws SQLException {
    this.connection = server.connect();
  }

  /** Counts the locks after each claim of a Rota from now on. */
  void follow(Faults faults) {
    faults.after("claim").always().run(this::look);
  }

  /** The most locks held at once, fast-path locks and the transaction's own included. */
  synchronized int most() {
    return looks == 0 ? 0 : most + OF_THE_LEDGER;
  }

  /** The locks that all transactions of the server may hold together, at least. */
  int all() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(ALL)) {
      row.next();
      return row.getInt(1);
    }
  }

  synchronized int looks() {
    return looks;
  }

  private synchronized void look() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(MOST)) {
      row.next();
      most = Math.max(most, row.getInt(1));
      looks++;
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
