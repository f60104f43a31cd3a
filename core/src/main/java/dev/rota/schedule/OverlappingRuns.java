package dev.rota.schedule;

/** What becomes of an occurrence of a {@link Schedule} whose last task has not ended yet. */
public enum OverlappingRuns {
  /** Another task is enqueued beside it. The default. */
  START,
  /**
   * The occurrence is dropped and counted. A task has ended when it is done, dead or cancelled; one
   * that is pending, running, or waiting for another attempt has not. To find out, the daemon reads
   * the tenant's ring and wait table at each occurrence, which have no index on the id.
   */
  SKIP
}
