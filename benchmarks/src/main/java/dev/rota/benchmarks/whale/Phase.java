package dev.rota.benchmarks.whale;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What a worker did in a measured window.
 *
 * @param p50 how long tasks of small tenants waited for a handler, in milliseconds: the median
 * @param p99 of 100 of them one waited longer
 * @param enqueueP99 how long the commit of their enqueue took, a part of p99: of 100 of them one
 *     took longer
 * @param unserved how many of them did not begin at all
 * @param whalePerSecond how many tasks of the whale ended each second
 * @param whaleHandlers how many handlers ran tasks of the whale, on average
 */
record Phase(
    double p50,
    double p99,
    double enqueueP99,
    double unserved,
    double whalePerSecond,
    double whaleHandlers) {

  /** The medians of several, and the most that did not begin in one of them. */
  static Phase median(List<Phase> phases) {
    return new Phase(
        median(phases, Phase::p50),
        median(phases, Phase::p99),
        median(phases, Phase::enqueueP99),
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
