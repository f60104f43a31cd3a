package dev.rota.crash.extremes;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Summarizes repeated measurements. */
final class Figures {

  private Figures() {}

  static long median(List<Long> values) {
    long[] sorted = sorted(values);
    return sorted[sorted.length / 2];
  }

  static long most(List<Long> values) {
    long[] sorted = sorted(values);
    return sorted[sorted.length - 1];
  }

  /** The number, the median, the maximum, and all values. */
  static Map<String, Object> ofMillis(List<Long> millis) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("times", millis.size());
    figures.put("medianMillis", median(millis));
    figures.put("mostMillis", most(millis));
    figures.put("millis", millis);
    return figures;
  }

  private static long[] sorted(List<Long> values) {
    long[] sorted = values.stream().mapToLong(Long::longValue).toArray();
    Arrays.sort(sorted);
    return sorted;
  }
}
