package dev.rota.internal.statistics;

/**
 * An increment of a row of the table of statistics.
 *
 * @param key the row
 * @param counts how attempts ended
 * @param runMicros the sum of run times
 * @param firstAttempts how many waiting times were added up
 * @param waitMicros the sum of waiting times
 */
record HourKey(Key key, Counts counts, long runMicros, long firstAttempts, long waitMicros) {

  /**
   * The key of a row.
   *
   * @param tenant the number of the tenant
   * @param hour the number of the hour, counted from 1970
   * @param kind the kind
   */
  record Key(int tenant, int hour, String kind) {}

  /** The number of ended attempts by outcome. */
  record Counts(long done, long failed, long dead, long cancelled) {

    Counts plus(Counts other) {
      return new Counts(
          done + other.done, failed + other.failed, dead + other.dead, cancelled + other.cancelled);
    }

    long sum() {
      return done + failed + dead + cancelled;
    }
  }

  HourKey plus(HourKey other) {
    return new HourKey(
        key,
        counts.plus(other.counts),
        runMicros + other.runMicros,
        firstAttempts + other.firstAttempts,
        waitMicros + other.waitMicros);
  }
}
