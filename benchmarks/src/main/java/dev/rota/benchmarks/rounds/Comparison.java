package dev.rota.benchmarks.rounds;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** One benchmark with one set of parameters: its contenders, compared within each round. */
final class Comparison {

  private static final String CONTENDER = "contender";
  private static final String FORMAT = "  %-34s%14s%22s%18s%16s%n";
  private static final String ROW = "| %s | %s | %s | %s | %s in %s |";

  private static final List<String> HEAD =
      List.of("| benchmark | Rota | rival | ratio | lowest..highest |", "|---|---|---|---|---|");

  private final String heading;

  /** The figures of each round, by contender, in the order of the first round. */
  private final Map<String, Map<Integer, BenchmarkFigures>> contenders = new LinkedHashMap<>();

  private Comparison(String heading) {
    this.heading = heading;
  }

  /** Groups turns by benchmark and parameters. */
  static List<Comparison> of(Collection<Turn> turns) {
    Map<String, Comparison> all = new LinkedHashMap<>();
    for (Turn turn : turns) {
      all.computeIfAbsent(heading(turn.figures()), Comparison::new).add(turn);
    }
    return new ArrayList<>(all.values());
  }

  private static String heading(BenchmarkFigures figures) {
    Map<String, String> parameters = new TreeMap<>(figures.parameters());
    parameters.remove(CONTENDER);
    return parameters.entrySet().stream()
        .map(each -> " " + each.getKey() + "=" + each.getValue())
        .collect(Collectors.joining("", figures.benchmark(), ""));
  }

  private void add(Turn turn) {
    contenders
        .computeIfAbsent(turn.contender(), unused -> new TreeMap<>())
        .put(turn.round(), turn.figures());
  }

  /** Formats a table for people: the median and spread of each contender, and of the ratio. */
  String text() {
    String first = first();
    StringBuilder text = new StringBuilder(heading).append('\n');
    text.append(
        FORMAT.formatted(
            "", "per second", "lowest..highest", first + " : this", "lowest..highest"));
    contenders.forEach(
        (name, rounds) -> {
          List<Double> ratios = ratios(name);
          text.append(
              FORMAT.formatted(
                  name,
                  rate(BenchmarkFigures.median(speeds(rounds))),
                  range("%,.0f", speeds(rounds)),
                  ratio(ratios),
                  range("%.2f", ratios)));
        });
    return text.toString();
  }

  /** The two lines above the rows of Markdown. */
  static List<String> head() {
    return HEAD;
  }

  /** Formats a row of Markdown for each rival of the first contender. */
  List<String> rows() {
    String first = first();
    return contenders.keySet().stream()
        .filter(name -> !name.equals(first) && !ratios(name).isEmpty())
        .map(
            name ->
                ROW.formatted(
                    heading,
                    figure(first),
                    name + " " + figure(name),
                    ratio(ratios(name)),
                    range("%.2f", ratios(name)),
                    rounds(ratios(name).size())))
        .toList();
  }

  private static String rounds(int number) {
    return number == 1 ? "1 round" : number + " rounds";
  }

  private String first() {
    return contenders.keySet().iterator().next();
  }

  private String figure(String name) {
    return rate(BenchmarkFigures.median(speeds(contenders.getOrDefault(name, Map.of()))));
  }

  /** The ratio of the first contender to another one in each round that both have ended. */
  private List<Double> ratios(String name) {
    Map<Integer, BenchmarkFigures> rival = contenders.getOrDefault(name, Map.of());
    List<Double> ratios = new ArrayList<>();
    contenders
        .getOrDefault(first(), Map.of())
        .forEach(
            (round, figures) -> {
              BenchmarkFigures other = rival.get(round);
              if (other != null) {
                ratios.add(figures.speed() / other.speed());
              }
            });
    return ratios;
  }

  private static List<Double> speeds(Map<Integer, BenchmarkFigures> rounds) {
    return rounds.values().stream().map(BenchmarkFigures::speed).toList();
  }

  private static String rate(double perSecond) {
    return number("%,.0f", perSecond);
  }

  private static String ratio(List<Double> ratios) {
    return ratios.isEmpty() ? "" : number("%.2f", BenchmarkFigures.median(ratios));
  }

  private static String range(String format, List<Double> values) {
    if (values.isEmpty()) {
      return "";
    }
    double lowest = values.stream().min(Double::compare).orElseThrow();
    double highest = values.stream().max(Double::compare).orElseThrow();
    return number(format, lowest) + ".." + number(format, highest);
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
