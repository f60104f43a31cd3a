package dev.rota.benchmarks.share;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A trial of backlogged tenants with different weights and run times.
 *
 * @param tenants how many tenants there are
 * @param weights their weights, in turns
 * @param runs how long their tasks run; each weight is combined with each of them
 * @param workers the workers that they share
 * @param pace how long to run
 */
record ShareSettings(
    int tenants, List<Double> weights, List<Duration> runs, Workers workers, Pace pace) {

  /**
   * The workers of a trial.
   *
   * @param processes how many workers, each with a Rota of its own
   * @param handlers how many handlers each of them has
   */
  record Workers(int processes, int handlers) {

    /** The handlers of all of them. */
    int all() {
      return processes * handlers;
    }
  }

  /**
   * The times of a trial.
   *
   * @param warmup how long to run before measuring
   * @param window the length of a window
   * @param windows how many windows to measure
   */
  record Pace(Duration warmup, Duration window, int windows) {

    /** All of it, in seconds. */
    double seconds() {
      return warmup.plus(window.multipliedBy(windows)).toMillis() / 1_000.0;
    }
  }

  double weightOf(int tenant) {
    return weights.get(tenant % weights.size());
  }

  Duration runOf(int tenant) {
    return runs.get(tenant / weights.size() % runs.size());
  }

  /** The part of all handlers' time that a tenant should get. */
  double partOf(int tenant) {
    return weightOf(tenant) / IntStream.range(0, tenants).mapToDouble(this::weightOf).sum();
  }
}
