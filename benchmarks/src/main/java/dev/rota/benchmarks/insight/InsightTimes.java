package dev.rota.benchmarks.insight;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The times of reads, in milliseconds. Not thread-safe. */
final class InsightTimes {

  private static final double NANOS_A_MILLI = 1e6;

  private final int tenants;
  private final long attempts;
  private final int calls;
  private final Map<String, double[]> sorted = new LinkedHashMap<>();

  InsightTimes(int tenants, long attempts, int calls) {
    this.tenants = tenants;
    this.attempts = attempts;
    this.calls = calls;
  }

  /** Measures a read: after a first call, each one of so many. */
  void measure(String name, Runnable read) {
    read.run();
    double[] millis = new double[calls];
    for (int i = 0; i < calls; i++) {
      long begun = System.nanoTime();
      read.run();
      millis[i] = (System.nanoTime() - begun) / NANOS_A_MILLI;
    }
    Arrays.sort(millis);
    sorted.put(name, millis);
  }

  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("tenants", tenants);
    fields.put("attempts", attempts);
    fields.put("calls", calls);
    sorted.forEach(
        (name, millis) -> {
          Map<String, Object> spread = new LinkedHashMap<>();
          spread.put("p50", quantile(millis, 0.5));
          spread.put("p95", quantile(millis, 0.95));
          spread.put("max", quantile(millis, 1));
          fields.put(name, spread);
        });
    return fields;
  }

  List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("", "p50", "p95", "max"));
    sorted.forEach(
        (name, millis) ->
            rows.add(
                List.of(
                    name,
                    text(quantile(millis, 0.5)),
                    text(quantile(millis, 0.95)),
                    text(quantile(millis, 1)))));
    return rows;
  }

  private static String text(double millis) {
    return String.format(Locale.ROOT, "%.1f ms", millis);
  }

  private static double quantile(double[] millis, double part) {
    int rank = Math.max(1, (int) Math.ceil(part * millis.length));
    return Math.round(millis[rank - 1] * 1_000) / 1_000.0;
  }
}
