package dev.rota.benchmarks.insight;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The times of reads, in milliseconds. Not thread-safe. */
final class InsightTimes {

  private final int tenants;
  private final long attempts;
  private final int calls;
  private final Map<String, Spread> reads = new LinkedHashMap<>();

  InsightTimes(int tenants, long attempts, int calls) {
    this.tenants = tenants;
    this.attempts = attempts;
    this.calls = calls;
  }

  /** Measures a read: after a first call, each one of so many. */
  void measure(String name, Runnable read) {
    read.run();
    reads.put(name, Spread.of(calls, () -> {}, read));
  }

  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("tenants", tenants);
    fields.put("attempts", attempts);
    fields.put("calls", calls);
    reads.forEach((name, times) -> fields.put(name, times.fields()));
    return fields;
  }

  List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(row("", Spread.HEADS));
    reads.forEach((name, times) -> rows.add(row(name, times.cells())));
    return rows;
  }

  private static List<String> row(String name, List<String> cells) {
    return Stream.concat(Stream.of(name), cells.stream()).toList();
  }
}
