package dev.rota.benchmarks;

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
record BenchmarkFigures(
    String benchmark,
    Map<String, String> parameters,
    List<Double> seconds,
    Map<String, List<Double>> counters) {

  /** The parameters with the amount of work of a shot; the first that a benchmark has counts. */
  private static final List<String> AMOUNTS = List.of("tasks", "batch", "tenants");

  /** A counter with the rate, where the length of a shot is a parameter. */
  private static final String RATE = "tasksPerSecond";

  static BenchmarkFigures of(RunResult result) {
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

  /** The rate of the median shot, or NaN where none is measured. */
  double rate() {
    List<Double> rates = rates();
    return rates.isEmpty() ? Double.NaN : median(rates);
  }

  /** The tasks, or tenants, a second of each shot; empty where something else is measured. */
  List<Double> rates() {
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

  double medianSeconds() {
    return median(seconds);
  }

  static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
