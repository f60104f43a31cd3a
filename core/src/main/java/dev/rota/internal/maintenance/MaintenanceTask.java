package dev.rota.internal.maintenance;

import java.sql.SQLException;
import java.time.Duration;

/**
 * Work that the leading daemon does in short steps, so that no task holds up another. A feature
 * adds its own. A task is made for one leadership, with its {@link LeaderTransactions}, and forgets
 * with it what it knows. Used by one thread.
 */
public interface MaintenanceTask {

  /** Says for the log what the task does, as in "the Rota daemon cannot (name)". */
  String name();

  /**
   * Does one step: at most about 250 ms, unless one statement takes longer.
   *
   * @return how long until the next step; the daemon waits no longer than a minute
   * @throws SQLException if the database refused; the daemon logs it and tries again later
   * @throws LeadershipEndedException if the daemon leads no more
   */
  Duration run() throws SQLException;
}
