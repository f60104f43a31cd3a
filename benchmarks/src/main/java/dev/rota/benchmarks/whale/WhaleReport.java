package dev.rota.benchmarks.whale;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The figures of small tenants and a whale, alone and beside each other.
 *
 * @param run how long a task of the whale runs
 * @param small the small tenants alone
 * @param whale the whale alone
 * @param beside both at once
 */
record WhaleReport(Duration run, Phase small, Phase whale, Phase beside) {

  private static final List<String> NAMES =
      List.of(
          "whale's tasks",
          "p50 alone",
          "beside",
          "ratio",
          "p99 alone",
          "beside",
          "ratio",
          "of which enqueue alone",
          "beside",
          "unserved",
          "whale alone",
          "beside",
          "kept");

  static List<String> names() {
    return NAMES;
  }

  /** The part of its handlers that the whale kept; of its rate, with tasks that do nothing. */
  double kept() {
    return run.isZero()
        ? beside.whalePerSecond() / whale.whalePerSecond()
        : beside.whaleHandlers() / whale.whaleHandlers();
  }

  List<String> row() {
    return List.of(
        text(run),
        millis(small.waits().p50()),
        millis(beside.waits().p50()),
        ratio(beside.waits().p50() / small.waits().p50()),
        millis(small.waits().p99()),
        millis(beside.waits().p99()),
        ratio(beside.waits().p99() / small.waits().p99()),
        millis(small.waits().enqueueP99()),
        millis(beside.waits().enqueueP99()),
        String.format(Locale.ROOT, "%.0f", beside.unserved()),
        rate(whale),
        rate(beside),
        ratio(kept()));
  }

  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("whaleRunMillis", run.toMillis());
    fields.put("alone", ofSmall(small.waits()));
    fields.put("beside", ofSmall(beside.waits()));
    fields.put("p50Ratio", rounded(beside.waits().p50() / small.waits().p50()));
    fields.put("p99Ratio", rounded(beside.waits().p99() / small.waits().p99()));
    fields.put("unserved", beside.unserved());
    fields.put("whaleAlone", ofWhale(whale));
    fields.put("whaleBeside", ofWhale(beside));
    fields.put("whaleKept", rounded(kept()));
    return fields;
  }

  private static Map<String, Object> ofSmall(Phase.Waits waits) {
    return Map.of(
        "p50", rounded(waits.p50()),
        "p99", rounded(waits.p99()),
        "enqueueP99", rounded(waits.enqueueP99()));
  }

  private static Map<String, Object> ofWhale(Phase phase) {
    return Map.of(
        "perSecond", rounded(phase.whalePerSecond()), "handlers", rounded(phase.whaleHandlers()));
  }

  private static String text(Duration duration) {
    return duration.toMillis() % 1_000 == 0
        ? duration.toSeconds() + " s"
        : duration.toMillis() + " ms";
  }

  private static String rate(Phase phase) {
    return String.format(
        Locale.ROOT, "%,.1f/s in %.1f", phase.whalePerSecond(), phase.whaleHandlers());
  }

  private static String millis(double millis) {
    return String.format(Locale.ROOT, "%.1f ms", millis);
  }

  private static String ratio(double ratio) {
    return String.format(Locale.ROOT, "%.2f", ratio);
  }

  private static double rounded(double value) {
    return Math.round(value * 1_000) / 1_000.0;
  }
}
