package dev.rota.benchmarks.load;

import dev.rota.benchmarks.load.LoadSettings.Timing;

/**
 * The moments of a run, by {@link System#nanoTime()}.
 *
 * @param start the time at which tasks begin to arrive
 * @param from the begin of the measurement
 * @param end the end of both
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
