package dev.rota.internal.worker;

/**
 * Schedules a slow, repeated pass over all tables in slices: each call advances as far as the time
 * since the last one allows. Used by one thread.
 */
final class SweepSchedule {

  /** The smallest slice that is worth a query. */
  private static final double LEAST_SHARE = 1.0 / 64;

  private final long roundNanos;
  private long sweptAt;
  private int position;

  /** Creates a schedule with one pass in this time, starting now. */
  SweepSchedule(long roundNanos, long now) {
    this.roundNanos = roundNanos;
    this.sweptAt = now;
  }

  /** Positions in a list; the end is exclusive. */
  record Slice(int from, int to) {}

  /**
   * Returns the slice that is due in a list of this many tables, which may have grown or shrunk
   * since. It ends at the end of the list: the next one begins at its start.
   */
  Slice next(int tables, long now) {
    int from = position >= tables ? 0 : position;
    double share = Math.min(1, (double) (now - sweptAt) / roundNanos);
    int to = share < LEAST_SHARE ? from : (int) Math.min(tables, from + (long) (share * tables));
    if (to > from) {
      position = to;
      sweptAt = now;
    }
    return new Slice(from, to);
  }
}
