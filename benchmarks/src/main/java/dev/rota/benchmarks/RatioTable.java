package dev.rota.benchmarks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Findings as a table for people: for each benchmark and each set of parameters the contenders
 * below each other, with the ratio of the first one to each.
 */
final class RatioTable {

  /**
   * Parameters whose values are compared with each other; the first that a benchmark has counts.
   */
  private static final List<String> COMPARED = List.of("contender", "consumed");

  private static final String FORMAT = "  %-20s%14s%22s%20s%s%n";

  private final Map<String, List<Finding>> groups = new LinkedHashMap<>();

  RatioTable(Collection<Finding> findings) {
    for (Finding finding : findings) {
      groups.computeIfAbsent(heading(finding), unused -> new ArrayList<>()).add(finding);
    }
  }

  /** The table. */
  String text() {
    StringBuilder text = new StringBuilder();
    groups.forEach(
        (heading, findings) -> {
          text.append('\n').append(heading).append('\n');
          append(text, findings);
        });
    return text.toString();
  }

  private static void append(StringBuilder text, List<Finding> findings) {
    Finding first = findings.get(0);
    text.append(
        FORMAT.formatted("", "per second", label(first) + " : this", "lowest..highest", ""));
    for (Finding finding : findings) {
      text.append(
          FORMAT.formatted(
              label(finding),
              rate(finding),
              ratio(first, finding),
              range(finding),
              counters(finding)));
    }
  }

  private static String heading(Finding finding) {
    Map<String, String> shared = new TreeMap<>(finding.parameters());
    shared.remove(compared(finding));
    return finding.benchmark()
        + shared.entrySet().stream()
            .map(entry -> " " + entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.joining());
  }

  private static String compared(Finding finding) {
    return COMPARED.stream().filter(finding.parameters()::containsKey).findFirst().orElse("");
  }

  private static String label(Finding finding) {
    return finding.parameters().getOrDefault(compared(finding), "all");
  }

  private static String rate(Finding finding) {
    double rate = finding.rate();
    return Double.isNaN(rate) ? "" : number("%,.0f", rate);
  }

  /** How many times as fast the first one is. */
  static String ratio(Finding first, Finding other) {
    double ratio = first.rate() / other.rate();
    return number(
        "%.2f", Double.isNaN(ratio) ? other.medianSeconds() / first.medianSeconds() : ratio);
  }

  private static String range(Finding finding) {
    List<Double> rates = finding.rates();
    if (rates.isEmpty()) {
      return "";
    }
    double lowest = rates.stream().min(Double::compare).orElseThrow();
    double highest = rates.stream().max(Double::compare).orElseThrow();
    return number("%,.0fk", lowest / 1_000) + ".." + number("%,.0fk", highest / 1_000);
  }

  private static String counters(Finding finding) {
    return finding.counters().entrySet().stream()
        .map(
            entry ->
                "  " + entry.getKey() + "=" + number("%,.1f", Finding.median(entry.getValue())))
        .collect(Collectors.joining());
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
