package dev.rota.internal.statistics;

/**
 * An increment of a row of the table of statistics.
 *
 * @param key the row
 * @param counts how attempts ended
 * @param running the run times
 * @param waiting the waiting times of first attempts
 */
record HourKey(Key key, Counts counts, Times running, Times waiting) {

  /** The tenant of sums over all tenants. */
  static final int ALL_TENANTS = 0;

  /**
   * The key of a row.
   *
   * @param tenant the number of the tenant, or {@link #ALL_TENANTS}
   * @param hour the number of the hour, counted from 1970
   * @param kind the kind
   */
  record Key(int tenant, int hour, String kind) {

    Key ofAll() {
      return new Key(ALL_TENANTS, hour, kind);
    }
  }

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

  /**
   * A sum of times.
   *
   * @param count how many were added up
   * @param micros their sum
   * @param buckets how many there are of each size, as far as that is known
   */
  record Times(long count, long micros, Histogram buckets) {

    Times plus(Times other) {
      return new Times(count + other.count, micros + other.micros, buckets.plus(other.buckets));
    }
  }

  HourKey plus(HourKey other) {
    return new HourKey(
        key, counts.plus(other.counts), running.plus(other.running), waiting.plus(other.waiting));
  }

  /** The same increment of the sums over all tenants. */
  HourKey ofAll() {
    return new HourKey(key.ofAll(), counts, running, waiting);
  }
}
