package dev.rota.internal.text;

import java.time.Instant;

/** Checks the numbers and times that a caller gives. */
public final class Bounds {

  private Bounds() {}

  /** Refuses a number that is not from 1 to the most. */
  public static void check(String option, int value, int most) {
    if (value < 1 || value > most) {
      throw new IllegalArgumentException(
          "the %s is %d; use one from 1 to %,d".formatted(option, value, most));
    }
  }

  /** Refuses an end before the beginning. */
  public static void check(Instant from, Instant to) {
    if (to.isBefore(from)) {
      throw new IllegalArgumentException(
          "from is " + from + " and to is " + to + "; use an end that is not before the beginning");
    }
  }
}
