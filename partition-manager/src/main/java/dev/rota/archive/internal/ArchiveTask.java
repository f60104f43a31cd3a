package dev.rota.archive.internal;

import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.leader.Throttle;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.log.Logs;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.MaintenanceTask;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;

/**
 * Base class of the archiver's maintenance tasks: queries the database for work and does one piece
 * of it in each step. Used by one thread.
 */
abstract class ArchiveTask<T> implements MaintenanceTask {

  private static final Logger log = Logs.of(ArchiveTask.class);

  private final LeaderSession leader;
  private final Throttle pace;
  private final Duration interval;
  private final Deque<T> due = new ArrayDeque<>();

  /** Creates a task that queries at this interval while there is no work. */
  ArchiveTask(LeaderSession leader, Throttle pace, Duration interval) {
    this.leader = leader;
    this.pace = pace;
    this.interval = interval;
  }

  /** Queries the pieces of work. */
  abstract List<T> look(Session session) throws SQLException;

  /** Does one piece of work. */
  abstract void act(T work) throws SQLException;

  @Override
  public final Duration run() throws SQLException {
    long startedAt = System.nanoTime();
    if (due.isEmpty()) {
      due.addAll(look());
      if (due.isEmpty()) {
        return Backoff.betweenLooks(interval, startedAt);
      }
    }
    act(due.removeFirst());
    pace.goOn();
    return Duration.ZERO;
  }

  private List<T> look() throws SQLException {
    try {
      return leader.transaction(name(), this::look);
    } catch (SQLException e) {
      // The view over the ledger is being renewed; the next query finds it.
      if (!SqlErrors.isLockConflict(e)) {
        throw e;
      }
      log.debug("the ledger is in use", e);
      return List.of();
    }
  }
}
