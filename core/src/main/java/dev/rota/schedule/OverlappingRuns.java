package dev.rota.schedule;

/** The policy for an occurrence of a {@link Schedule} whose last task has not ended yet. */
public enum OverlappingRuns {
  /** Another task is enqueued beside it. The default. */
  START,
  /**
   * The occurrence is dropped and counted. A task has ended when it is done, dead or cancelled, not
   * while it is pending, running, or waiting for another attempt. For this check the daemon reads
   * the tenant's ring and wait table at each occurrence, which have no index on the id.
   */
  SKIP
}
