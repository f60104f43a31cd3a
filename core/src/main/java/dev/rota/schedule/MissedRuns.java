package dev.rota.schedule;

/**
 * What becomes of occurrences of a {@link Schedule} whose time passed while no daemon led, the
 * database was away, or the tenant was closed. What falls into a pause of the schedule is not
 * missed: nobody wanted it.
 */
public enum MissedRuns {
  /** They are dropped; one that is late by no more than a minute is not missed yet. */
  SKIP,
  /** One task is enqueued for all of them together. The default. */
  ONCE,
  /** One task is enqueued for each of them, up to 100 at a time. */
  ALL
}
