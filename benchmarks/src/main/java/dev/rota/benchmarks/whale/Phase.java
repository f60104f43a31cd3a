package dev.rota.benchmarks.whale;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The figures of a worker in a measured window.
 *
 * @param waits how long tasks of small tenants waited for a handler
 * @param unserved how many of them did not begin at all
 * @param whalePerSecond how many tasks of the whale ended each second
 * @param whaleHandlers how many handlers ran tasks of the whale, on average
 */
record Phase(Waits waits, double unserved, double whalePerSecond, double whaleHandlers) {

  /**
   * How long tasks waited for a handler, in milliseconds.
   *
   * @param p50 the median wait
   * @param p99 the wait that one of 100 of them exceeds
   * @param enqueueP99 the time for the commit of their enqueue, a part of p99, that one of 100 of
   *     them exceeds
   */
  record Waits(double p50, double p99, double enqueueP99) {}

  /** The medians of several phases, and the most unserved tasks of one of them. */
  static Phase median(List<Phase> phases) {
    return new Phase(
        new Waits(
            median(phases, phase -> phase.waits.p50),
            median(phases, phase -> phase.waits.p99),
            median(phases, phase -> phase.waits.enqueueP99)),
        phases.stream().mapToDouble(Phase::unserved).max().orElse(0),
        median(phases, Phase::whalePerSecond),
        median(phases, Phase::whaleHandlers));
  }

  private static double median(List<Phase> phases, ToDoubleFunction<Phase> value) {
    double[] sorted = phases.stream().mapToDouble(value).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
