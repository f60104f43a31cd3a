package dev.rota.crash.campaign.audit;

/**
 * One run of a handler, as the log of its process tells it.
 *
 * @param process who ran it
 * @param task the id of the task
 * @param attempt which attempt
 * @param begun when, in milliseconds since 1970
 * @param end how it ended
 */
record HandlerRun(String process, long task, int attempt, long begun, End end) {

  /** How a run ended. */
  enum End {
    /** Nobody knows: the process ended first, or the run is not over. */
    OPEN,
    SUCCEEDED,
    FAILED,
    RELEASED
  }

  boolean isOf(long otherTask, int otherAttempt) {
    return task == otherTask && attempt == otherAttempt;
  }

  HandlerRun ended(End how) {
    return new HandlerRun(process, task, attempt, begun, how);
  }
}
