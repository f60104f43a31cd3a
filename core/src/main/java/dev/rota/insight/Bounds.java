package dev.rota.insight;

import java.time.Instant;

/** Checks the numbers and times of queries. */
final class Bounds {

  private Bounds() {}

  static void check(String option, int value, int most) {
    if (value < 1 || value > most) {
      throw new IllegalArgumentException(
          "the %s is %d; use one from 1 to %,d".formatted(option, value, most));
    }
  }

  static void check(Instant from, Instant to) {
    if (to.isBefore(from)) {
      throw new IllegalArgumentException(
          "from is " + from + " and to is " + to + "; use an end that is not before the beginning");
    }
  }
}
