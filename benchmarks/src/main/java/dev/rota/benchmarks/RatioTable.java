package dev.rota.benchmarks;

import dev.rota.benchmarks.rounds.BenchmarkFigures;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Formats findings as a table for people. For each benchmark and each set of parameters the
 * contenders are below each other, with the ratio of the first one to each.
 */
final class RatioTable {

  /**
   * Parameters whose values are compared with each other; the first that a benchmark has counts.
   */
  private static final List<String> COMPARED = List.of("contender", "consumed");

  private static final String FORMAT = "  %-34s%14s%14s%22s%20s%s%n";

  private final Map<String, List<BenchmarkFigures>> groups = new LinkedHashMap<>();

  RatioTable(Collection<BenchmarkFigures> findings) {
    for (BenchmarkFigures finding : findings) {
      groups.computeIfAbsent(heading(finding), unused -> new ArrayList<>()).add(finding);
    }
  }

  /** Formats the table. */
  String text() {
    StringBuilder text = new StringBuilder();
    groups.forEach(
        (heading, findings) -> {
          text.append('\n').append(heading).append('\n');
          append(text, findings);
        });
    return text.toString();
  }

  private static void append(StringBuilder text, List<BenchmarkFigures> findings) {
    BenchmarkFigures first = findings.get(0);
    String ratio = compared(first).isEmpty() ? "" : label(first) + " : this";
    text.append(FORMAT.formatted("", "per second", "time", ratio, "lowest..highest", ""));
    for (BenchmarkFigures finding : findings) {
      text.append(
          FORMAT.formatted(
              label(finding),
              rate(finding),
              number("%,.2f ms", finding.medianSeconds() * 1_000),
              ratio.isEmpty() ? "" : ratio(first, finding),
              range(finding),
              counters(finding)));
    }
  }

  /**
   * The heading of a finding. Benchmarks without a comparison list all their parameters below each
   * other.
   */
  private static String heading(BenchmarkFigures finding) {
    String compared = compared(finding);
    return compared.isEmpty()
        ? finding.benchmark()
        : finding.benchmark() + " " + parameters(finding, compared);
  }

  private static String label(BenchmarkFigures finding) {
    String compared = compared(finding);
    return compared.isEmpty()
        ? parameters(finding, compared)
        : finding.parameters().getOrDefault(compared, "");
  }

  private static String parameters(BenchmarkFigures finding, String compared) {
    return finding.parameters().entrySet().stream()
        .filter(entry -> !entry.getKey().equals(compared))
        .sorted(Map.Entry.comparingByKey())
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining(" "));
  }

  private static String compared(BenchmarkFigures finding) {
    return COMPARED.stream().filter(finding.parameters()::containsKey).findFirst().orElse("");
  }

  private static String rate(BenchmarkFigures finding) {
    double rate = finding.rate();
    return Double.isNaN(rate) ? "" : number("%,.0f", rate);
  }

  /** Computes how many times as fast the first one is. */
  static String ratio(BenchmarkFigures first, BenchmarkFigures other) {
    double ratio = first.rate() / other.rate();
    return number(
        "%.2f", Double.isNaN(ratio) ? other.medianSeconds() / first.medianSeconds() : ratio);
  }

  private static String range(BenchmarkFigures finding) {
    List<Double> rates = finding.rates();
    if (rates.isEmpty()) {
      return "";
    }
    double lowest = rates.stream().min(Double::compare).orElseThrow();
    double highest = rates.stream().max(Double::compare).orElseThrow();
    return number("%,.0f", lowest) + ".." + number("%,.0f", highest);
  }

  private static String counters(BenchmarkFigures finding) {
    return finding.counters().entrySet().stream()
        .map(
            entry ->
                "  "
                    + entry.getKey()
                    + "="
                    + number("%,.1f", BenchmarkFigures.median(entry.getValue())))
        .collect(Collectors.joining());
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
