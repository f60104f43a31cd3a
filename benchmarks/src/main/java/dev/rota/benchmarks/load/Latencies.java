package dev.rota.benchmarks.load;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * How long tasks of the measured window wait for their handler. A task counts by when it arrived:
 * one that is handled only after the end counts too. Recording is thread-safe, reading is for one
 * thread.
 */
final class Latencies {

  private static final long LEAST_NANOS = TimeUnit.MICROSECONDS.toNanos(1);
  private static final long MOST_NANOS = TimeUnit.HOURS.toNanos(2);
  private static final int DIGITS = 3;

  private final Timeline timeline;
  private final Recorder recorder = new Recorder(LEAST_NANOS, MOST_NANOS, DIGITS);
  private final Histogram total = new Histogram(LEAST_NANOS, MOST_NANOS, DIGITS);

  Latencies(Timeline timeline) {
    this.timeline = timeline;
  }

  void record(long since, long until, int tasks) {
    if (timeline.isMeasured(since)) {
      long waited = Math.min(MOST_NANOS, Math.max(0, until - since));
      recorder.recordValueWithCount(waited, tasks);
    }
  }

  /** What was recorded since the last call. */
  LatencySummary interval() {
    Histogram interval = recorder.getIntervalHistogram();
    total.add(interval);
    return LatencySummary.of(interval);
  }

  /** Everything recorded so far. */
  Histogram total() {
    interval();
    return total.copy();
  }
}
