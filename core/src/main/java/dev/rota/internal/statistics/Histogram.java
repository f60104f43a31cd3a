package dev.rota.internal.statistics;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Counts times by powers of two: those below a millisecond, below two, below four and so on. The
 * last bucket, from twelve days on, has no bound. Not thread-safe.
 */
final class Histogram {

  private static final int BUCKETS = 32;

  private final long[] counts = new long[BUCKETS];
  private int used;

  /** Counts a time. */
  void add(long micros) {
    long millis = Math.max(0, micros / 1_000);
    int bucket = Math.min(BUCKETS - 1, Long.SIZE - Long.numberOfLeadingZeros(millis));
    counts[bucket]++;
    used = Math.max(used, bucket + 1);
  }

  /** Adds the counts of another one. */
  void add(Histogram other) {
    for (int i = 0; i < other.used; i++) {
      counts[i] += other.counts[i];
    }
    used = Math.max(used, other.used);
  }

  /** Returns the sums of this one and another one. */
  Histogram plus(Histogram other) {
    Histogram sum = new Histogram();
    sum.add(this);
    sum.add(other);
    return sum;
  }

  /** The text of an array of the database, without zeros at the end. */
  String text() {
    return Arrays.stream(counts, 0, used)
        .mapToObj(Long::toString)
        .collect(Collectors.joining(",", "{", "}"));
  }
}
