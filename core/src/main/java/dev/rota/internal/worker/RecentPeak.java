package dev.rota.internal.worker;

import java.util.concurrent.TimeUnit;

/** Keeps the largest value of the last one to two seconds. Not thread-safe. */
final class RecentPeak {

  private static final long SPAN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private double peak;
  private double before;
  private long since;

  RecentPeak(long now) {
    this.since = now;
  }

  /** Records a value. */
  void add(double value, long now) {
    turn(now);
    peak = Math.max(peak, value);
  }

  /** The largest value; 0 if there was none. */
  double get(long now) {
    turn(now);
    return Math.max(before, peak);
  }

  private void turn(long now) {
    if (now - since >= SPAN_NANOS) {
      before = now - since < 2 * SPAN_NANOS ? peak : 0;
      peak = 0;
      since = now;
    }
  }
}
