package dev.rota.benchmarks.rounds;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

/**
 * The figures of one benchmark with one set of parameters.
 *
 * @param benchmark the class and method
 * @param parameters the parameters by name
 * @param seconds the time of each shot
 * @param counters further figures by name, one for each shot
 */
public record BenchmarkFigures(
    String benchmark,
    Map<String, String> parameters,
    List<Double> seconds,
    Map<String, List<Double>> counters) {

  /** The parameters with the amount of work of a shot; the first that a benchmark has counts. */
  private static final List<String> AMOUNTS = List.of("tasks", "batch", "tenants");

  /** A counter with the rate, where the length of a shot is a parameter. */
  private static final String RATE = "tasksPerSecond";

  /**
   * Takes the figures of a result.
   *
   * @param result a result of JMH in this JVM
   * @return its figures
   */
  public static BenchmarkFigures of(RunResult result) {
    BenchmarkParams params = result.getParams();
    Map<String, String> parameters = new TreeMap<>();
    params.getParamsKeys().forEach(key -> parameters.put(key, params.getParam(key)));
    List<Double> seconds = new ArrayList<>();
    Map<String, List<Double>> counters = new TreeMap<>();
    double unit = params.getTimeUnit().toNanos(1) / (double) TimeUnit.SECONDS.toNanos(1);
    for (IterationResult shot : shots(result)) {
      seconds.add(shot.getPrimaryResult().getScore() * unit);
      for (Result<?> counter : counters(shot)) {
        counters
            .computeIfAbsent(counter.getLabel(), label -> new ArrayList<>())
            .add(counter.getScore());
      }
    }
    return new BenchmarkFigures(shortName(params.getBenchmark()), parameters, seconds, counters);
  }

  /** Takes the figures of a result in a file that JMH has written. */
  static BenchmarkFigures of(JsonNode result) {
    Map<String, String> parameters = new TreeMap<>();
    result
        .path("params")
        .properties()
        .forEach(each -> parameters.put(each.getKey(), each.getValue().asText()));
    JsonNode time = result.path("primaryMetric");
    double unit = secondsOf(time.path("scoreUnit").asText());
    Map<String, List<Double>> counters = new TreeMap<>();
    result
        .path("secondaryMetrics")
        .properties()
        .forEach(each -> counters.put(each.getKey(), shots(each.getValue(), 1)));
    return new BenchmarkFigures(
        shortName(result.path("benchmark").asText()), parameters, shots(time, unit), counters);
  }

  private static List<Double> shots(JsonNode metric, double unit) {
    List<Double> shots = new ArrayList<>();
    for (JsonNode fork : metric.path("rawData")) {
      fork.forEach(shot -> shots.add(shot.asDouble() * unit));
    }
    return shots;
  }

  /** The seconds of a unit of time, such as {@code ms/op}. */
  private static double secondsOf(String unit) {
    return switch (unit) {
      case "ns/op" -> 1e-9;
      case "us/op" -> 1e-6;
      case "ms/op" -> 1e-3;
      case "s/op" -> 1;
      default -> throw new IllegalArgumentException(unit + " is no unit of time");
    };
  }

  private static List<IterationResult> shots(RunResult result) {
    return result.getBenchmarkResults().stream()
        .map(BenchmarkResult::getIterationResults)
        .flatMap(Collection::stream)
        .toList();
  }

  @SuppressWarnings("rawtypes") // as JMH declares them
  private static List<Result<?>> counters(IterationResult shot) {
    List<Result<?>> counters = new ArrayList<>();
    for (Result counter : shot.getSecondaryResults().values()) {
      counters.add(counter);
    }
    return counters;
  }

  private static String shortName(String benchmark) {
    int method = benchmark.lastIndexOf('.');
    return benchmark.substring(benchmark.lastIndexOf('.', method - 1) + 1);
  }

  /**
   * The rate of the median shot.
   *
   * @return tasks or tenants a second, or NaN where none is measured
   */
  public double rate() {
    List<Double> rates = rates();
    return rates.isEmpty() ? Double.NaN : median(rates);
  }

  /** The rate of the median shot; where none is measured, such shots a second. */
  double speed() {
    double rate = rate();
    return Double.isNaN(rate) ? 1 / medianSeconds() : rate;
  }

  /**
   * The rate of each shot.
   *
   * @return tasks or tenants a second; empty where something else is measured
   */
  public List<Double> rates() {
    if (counters.containsKey(RATE)) {
      return counters.get(RATE);
    }
    if (!counters.isEmpty() && !parameters.containsKey(AMOUNTS.get(0))) {
      return List.of();
    }
    return AMOUNTS.stream()
        .filter(parameters::containsKey)
        .findFirst()
        .map(amount -> Double.parseDouble(parameters.get(amount)))
        .map(amount -> seconds.stream().map(time -> amount / time).toList())
        .orElse(List.of());
  }

  /**
   * The time of the median shot.
   *
   * @return seconds
   */
  public double medianSeconds() {
    return median(seconds);
  }

  /**
   * The median of values.
   *
   * @param values at least one
   * @return the one in the middle, or the mean of the two in the middle
   */
  public static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
