package dev.rota.crash.campaign.audit;

/**
 * One run of a handler, from the log of its process.
 *
 * @param process the process that ran it
 * @param task the id of the task
 * @param attempt the number of the attempt
 * @param begun its begin, in milliseconds since 1970
 * @param end how it ended
 */
record HandlerRun(String process, long task, int attempt, long begun, End end) {

  /** How a run ended. */
  enum End {
    /** The outcome is unknown: the process ended first, or the run is not over. */
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
