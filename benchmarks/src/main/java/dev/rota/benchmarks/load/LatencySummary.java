package dev.rota.benchmarks.load;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Percentiles in milliseconds.
 *
 * @param tasks the number of tasks
 * @param p50 the median
 * @param p99 the wait that one of 100 tasks exceeds
 * @param p999 the wait that one of 1,000 tasks exceeds
 * @param max the longest wait
 */
public record LatencySummary(long tasks, double p50, double p99, double p999, double max) {

  static LatencySummary of(Histogram nanos) {
    return new LatencySummary(
        nanos.getTotalCount(),
        millisAt(nanos, 50),
        millisAt(nanos, 99),
        millisAt(nanos, 99.9),
        nanos.getMaxValue() / 1e6);
  }

  public static double millisAt(Histogram nanos, double percentile) {
    return nanos.getValueAtPercentile(percentile) / 1e6;
  }

  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("p50", rounded(p50));
    fields.put("p99", rounded(p99));
    fields.put("p999", rounded(p999));
    fields.put("max", rounded(max));
    return fields;
  }

  private static double rounded(double millis) {
    return Math.round(millis * 1_000) / 1_000.0;
  }
}
