package dev.rota.daemon.internal.leader;

import java.sql.SQLException;

/** One job of the leader, done in short steps so that no job holds up another. */
public interface MaintenanceTask {

  /** What is done, for the log. */
  String name();

  /**
   * Does one step.
   *
   * @return how long until the next one, in nanoseconds
   */
  long perform() throws SQLException;
}
