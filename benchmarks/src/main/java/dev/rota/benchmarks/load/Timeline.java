package dev.rota.benchmarks.load;

import dev.rota.benchmarks.load.LoadSettings.Timing;

/**
 * The moments of a run, by {@link System#nanoTime()}.
 *
 * @param start when tasks begin to arrive
 * @param from when measuring begins
 * @param end when both end
 */
record Timeline(long start, long from, long end) {

  static Timeline startingAt(long start, Timing timing) {
    long from = start + timing.warmup().toNanos();
    return new Timeline(start, from, from + timing.measured().toNanos());
  }

  boolean isOver(long nanos) {
    return nanos - end >= 0;
  }

  boolean isMeasured(long nanos) {
    return nanos - from >= 0 && !isOver(nanos);
  }

  double secondsAt(long nanos) {
    return (nanos - start) / 1e9;
  }
}
