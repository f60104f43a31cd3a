package dev.rota.limits.internal;

import dev.rota.limits.Breaker;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How the attempts of the last time ended, in ten buckets. Used under the lock of its breaker. */
final class BreakerWindow {

  private static final int BUCKETS = 10;

  /** The most different errors that a bucket counts. */
  private static final int MOST_ERRORS = 20;

  private final Breaker rule;
  private final long bucketNanos;
  private final Bucket[] buckets = new Bucket[BUCKETS];

  private static final class Bucket {
    private final long number;
    private final Map<String, Integer> errors = new HashMap<>();
    private int attempts;
    private int failed;

    Bucket(long number) {
      this.number = number;
    }
  }

  BreakerWindow(Breaker rule) {
    this.rule = rule;
    this.bucketNanos = Math.max(1, rule.window().toNanos() / BUCKETS);
  }

  void succeeded(int tasks, long now) {
    bucket(now).attempts += tasks;
  }

  void failed(String error, long now) {
    Bucket bucket = bucket(now);
    bucket.attempts++;
    bucket.failed++;
    if (bucket.errors.size() < MOST_ERRORS || bucket.errors.containsKey(error)) {
      bucket.errors.merge(error, 1, Integer::sum);
    }
  }

  private Bucket bucket(long now) {
    long number = Math.floorDiv(now, bucketNanos);
    int place = Math.floorMod(number, BUCKETS);
    Bucket bucket = buckets[place];
    if (bucket == null || bucket.number != number) {
      bucket = new Bucket(number);
      buckets[place] = bucket;
    }
    return bucket;
  }

  private boolean counts(@Nullable Bucket bucket, long now) {
    return bucket != null && Math.floorDiv(now, bucketNanos) - bucket.number < BUCKETS;
  }

  /** How many attempts of the time have ended. */
  int attempts(long now) {
    int attempts = 0;
    for (Bucket bucket : buckets) {
      attempts += counts(bucket, now) ? bucket.attempts : 0;
    }
    return attempts;
  }

  private int failed(long now) {
    int failed = 0;
    for (Bucket bucket : buckets) {
      failed += counts(bucket, now) ? bucket.failed : 0;
    }
    return failed;
  }

  /** Whether so many of the attempts failed that only their number may be too small. */
  boolean isFailing(long now) {
    int failed = failed(now);
    return failed > 0 && failed >= rule.rate() * attempts(now);
  }

  /** What happened, for people. */
  String reason(long now) {
    Map<String, Integer> errors = new HashMap<>();
    for (Bucket bucket : buckets) {
      if (counts(bucket, now)) {
        bucket.errors.forEach((error, times) -> errors.merge(error, times, Integer::sum));
      }
    }
    String error =
        errors.entrySet().stream()
            .max(Map.Entry.comparingByValue())
            .map(Map.Entry::getKey)
            .orElse("");
    return failed(now) + " of " + attempts(now) + " attempts failed, most often with: " + error;
  }
}
