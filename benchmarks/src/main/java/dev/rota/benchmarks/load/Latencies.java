package dev.rota.benchmarks.load;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Records how long tasks of the measured window wait for their handler. A task counts by its time
 * of arrival, also if it is handled after the end. Recording is thread-safe, reading is for one
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

  /** Returns the summary since the last call. */
  LatencySummary interval() {
    Histogram interval = recorder.getIntervalHistogram();
    total.add(interval);
    return LatencySummary.of(interval);
  }

  /** Returns the histogram of the whole run. */
  Histogram total() {
    interval();
    return total.copy();
  }
}
