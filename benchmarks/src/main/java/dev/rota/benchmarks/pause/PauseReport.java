package dev.rota.benchmarks.pause;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The figures of all rounds.
 *
 * @param settings the settings of the trial
 * @param rounds each pause and its end
 */
record PauseReport(PauseSettings settings, List<Round> rounds) {

  /**
   * A pause and its end.
   *
   * @param pause the pause
   * @param resume its end
   * @param claims the claims of the worker while the pause was in force
   */
  record Round(Step pause, Step resume, long claims) {}

  /**
   * A change of a rule, times in milliseconds.
   *
   * @param call how long the call took
   * @param start when the last task began after a pause had returned, or the first one after a
   *     resume had; 0 if that was before
   * @param statements the calls to the database of the process that changed the rule
   */
  record Step(double call, double start, long statements) {}

  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("pending", settings.pending());
    fields.put("runMillis", settings.run().toMillis());
    fields.put("concurrency", settings.handlers());
    fields.put("rounds", settings.rounds());
    fields.put("pauseMillis", spread(round -> round.pause().call()));
    fields.put("lastStartMillis", spread(round -> round.pause().start()));
    fields.put("resumeMillis", spread(round -> round.resume().call()));
    fields.put("firstStartMillis", spread(round -> round.resume().start()));
    fields.put("pauseStatements", most(round -> round.pause().statements()));
    fields.put("resumeStatements", most(round -> round.resume().statements()));
    fields.put("claimsWhilePaused", most(Round::claims));
    return fields;
  }

  List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("", "p50", "p99", "max"));
    rows.add(row("pause returned after", round -> round.pause().call()));
    rows.add(row("last start after that", round -> round.pause().start()));
    rows.add(row("resume returned after", round -> round.resume().call()));
    rows.add(row("first start after that", round -> round.resume().start()));
    return rows;
  }

  String summary() {
    return String.format(
        Locale.ROOT,
        "at most %.0f statements to pause, %.0f to resume; %.0f claims while paused",
        most(round -> round.pause().statements()),
        most(round -> round.resume().statements()),
        most(Round::claims));
  }

  private List<String> row(String name, ToDoubleFunction<Round> figure) {
    List<String> row = new ArrayList<>();
    row.add(name);
    spread(figure).values().forEach(value -> row.add(String.format(Locale.ROOT, "%.1f ms", value)));
    return row;
  }

  private Map<String, Double> spread(ToDoubleFunction<Round> figure) {
    double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
    Map<String, Double> spread = new LinkedHashMap<>();
    spread.put("p50", quantile(sorted, 0.5));
    spread.put("p99", quantile(sorted, 0.99));
    spread.put("max", quantile(sorted, 1));
    return spread;
  }

  private static double quantile(double[] sorted, double part) {
    int rank = Math.max(1, (int) Math.ceil(part * sorted.length));
    return Math.round(sorted[rank - 1] * 1_000) / 1_000.0;
  }

  private double most(ToDoubleFunction<Round> figure) {
    return rounds.stream().mapToDouble(figure).max().orElse(0);
  }
}
