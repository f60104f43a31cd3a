package dev.rota.internal.maintenance;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** How long to wait between steps. */
public final class Backoff {

  /** The longest pause before a repetition, unless its caller has another. */
  static final Duration LONGEST_RETRY = Duration.ofMinutes(1);

  /** Polling all tenants may take one part in this many of the daemon's time. */
  private static final int COST_SHARE = 20;

  private static final long FIRST_RETRY = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long LONGEST_WAIT = TimeUnit.SECONDS.toNanos(30);

  private Backoff() {}

  /** Returns about this long, so that timers of many processes do not synchronize. */
  public static long jittered(long nanos) {
    return nanos - nanos / 8 + ThreadLocalRandom.current().nextLong(nanos / 4 + 1);
  }

  /** About this long, so that timers of many processes do not keep step. */
  public static Duration jittered(Duration wait) {
    return Duration.ofNanos(jittered(wait.toNanos()));
  }

  /** Between two looks of which the last began at that time: rarer if looking is expensive. */
  public static Duration betweenLooks(Duration wanted, long startedAt) {
    long least = COST_SHARE * (System.nanoTime() - startedAt);
    return Duration.ofNanos(jittered(Math.max(wanted.toNanos(), least)));
  }

  /**
   * Until a time of the database that was this far away, in nanoseconds: 30 s at most, since its
   * clock may step. Those that are bounded do not come all at once.
   */
  public static long until(long micros) {
    long bound = LONGEST_WAIT - ThreadLocalRandom.current().nextLong(LONGEST_WAIT / 4);
    return TimeUnit.MICROSECONDS.toNanos(
        Math.max(0, Math.min(micros, TimeUnit.NANOSECONDS.toMicros(bound))));
  }

  /** After heavy work that began at that time and may take this part of the daemon's time. */
  public static Duration afterWork(long startedAt, double share) {
    return Duration.ofNanos(afterWorkOf(System.nanoTime() - startedAt, share));
  }

  /** After heavy work that took so many nanoseconds and may take this part of the daemon's time. */
  static long afterWorkOf(long nanos, double share) {
    return (long) (nanos * (1 - share) / share);
  }

  /** Before a repetition of what has failed this often, in nanoseconds. */
  public static long beforeRetry(int failures) {
    return beforeRetry(failures, LONGEST_RETRY);
  }

  /** The same, and about this long at most. */
  static long beforeRetry(int failures, Duration longest) {
    return jittered(Math.min(longest.toNanos(), FIRST_RETRY << Math.min(failures - 1, 10)));
  }

  /** Returns a part of a duration, within bounds. */
  public static Duration part(Duration whole, int parts, Duration least, Duration most) {
    Duration part = whole.dividedBy(parts);
    if (part.compareTo(least) < 0) {
      return least;
    }
    return part.compareTo(most) > 0 ? most : part;
  }
}
