package dev.rota.schedule;

/**
 * The policy for occurrences of a {@link Schedule} whose time passed while no daemon led, the
 * database was unavailable, or the tenant was closed. Occurrences during a pause of the schedule
 * are not missed: they were not wanted.
 */
public enum MissedRuns {
  /** Missed occurrences are dropped; one that is late by at most a minute is not missed yet. */
  SKIP,
  /** One task is enqueued for all of them together. The default. */
  ONCE,
  /** One task is enqueued for each of them, up to 100 at a time. */
  ALL
}
