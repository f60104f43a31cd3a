package dev.rota.history;

import dev.rota.Tenant;

/** What {@link Tenant#countHistory} can tell attempts apart by. */
public enum HistoryDimension {
  /** The hour in which the task was enqueued, in UTC by the clock of the database. */
  HOUR,
  /** The kind of the task. */
  KIND,
  /** The state of the attempt. */
  STATE
}
