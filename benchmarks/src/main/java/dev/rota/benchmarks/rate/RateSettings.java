package dev.rota.benchmarks.rate;

import dev.rota.limits.Rate;
import java.time.Duration;

/**
 * A trial of one rate.
 *
 * @param rate the rate
 * @param processes how many processes there are at a time
 * @param killEvery how often one is killed, and another one started; zero for never
 * @param warmup how long to run before measuring
 * @param length how long to measure
 */
record RateSettings(
    Rate rate, int processes, Duration killEvery, Duration warmup, Duration length) {

  double perSecond() {
    return Duration.ofSeconds(1).toNanos() / rate.stepNanos();
  }

  /** The time from the start of the trial to its end, and some more for late starts. */
  Duration all() {
    return warmup.plus(length).plus(length.dividedBy(10)).plusSeconds(2);
  }
}
