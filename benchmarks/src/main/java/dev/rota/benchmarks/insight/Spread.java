package dev.rota.benchmarks.insight;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The times of one read, in milliseconds. Immutable. */
public final class Spread {

  /** The heads of {@link #cells}. */
  public static final List<String> HEADS = List.of("p50", "p95", "max");

  private static final double NANOS_A_MILLI = 1e6;

  private final double[] sorted;

  private Spread(double[] sorted) {
    this.sorted = sorted;
  }

  /**
   * Times a read.
   *
   * @param calls how often, at least once
   * @param before runs before each call, outside of its time
   * @param read the read
   * @return the times of all calls
   */
  public static Spread of(int calls, Runnable before, Runnable read) {
    double[] millis = new double[calls];
    for (int i = 0; i < calls; i++) {
      before.run();
      millis[i] = time(read);
    }
    Arrays.sort(millis);
    return new Spread(millis);
  }

  /**
   * Times one call.
   *
   * @param read what to call
   * @return the milliseconds that it took
   */
  public static double time(Runnable read) {
    long begun = System.nanoTime();
    read.run();
    return (System.nanoTime() - begun) / NANOS_A_MILLI;
  }

  /**
   * The time that a part of the calls did not exceed.
   *
   * @param part from 0 to 1
   * @return milliseconds, to a microsecond
   */
  public double quantile(double part) {
    int rank = Math.max(1, (int) Math.ceil(part * sorted.length));
    return rounded(sorted[rank - 1]);
  }

  /**
   * Rounds a time to a microsecond.
   *
   * @param millis milliseconds
   * @return the rounded time
   */
  public static double rounded(double millis) {
    return Math.round(millis * 1_000) / 1_000.0;
  }

  /**
   * The times as fields of JSON.
   *
   * @return the median, the 95th percentile and the longest time, in milliseconds
   */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("p50", quantile(0.5));
    fields.put("p95", quantile(0.95));
    fields.put("max", quantile(1));
    return fields;
  }

  /**
   * The times as cells of a table.
   *
   * @return the same three times as texts
   */
  public List<String> cells() {
    return List.of(text(quantile(0.5)), text(quantile(0.95)), text(quantile(1)));
  }

  /**
   * A time as a text.
   *
   * @param millis milliseconds
   * @return such as {@code 1.5 ms}
   */
  public static String text(double millis) {
    return String.format(Locale.ROOT, "%.1f ms", millis);
  }
}
