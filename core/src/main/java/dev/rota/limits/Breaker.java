package dev.rota.limits;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * When to pause a kind whose attempts fail, and how to try it again. Immutable and thread-safe;
 * each method returns a copy.
 *
 * <p>A breaker trips if at least a rate of the attempts within a time failed, and there were enough
 * of them. The kind is then paused. After the pause a few tasks at a time are tried. The kind goes
 * on once as many in a row succeeded; it is paused again if one fails. Each process counts its own
 * attempts. A {@link dev.rota.FatalTaskException}, a cancelled task and a held one do not count.
 *
 * @see Limits#breaker
 */
public final class Breaker {

  private static final double LEAST_RATE = 0.001;
  private static final int MOST_ATTEMPTS = 999_999;
  private static final int MOST_PROBES = 999;
  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofHours(9_999);
  private static final int DECIMALS = 6;

  private static final String FORM =
      "RATE [of N] [within DURATION] [pause DURATION] [probes N], such as"
          + " \"0.5 of 20 within 1m pause 30s probes 3\"";
  private static final Pattern TEXT =
      Pattern.compile(
          "(\\d(?:\\.\\d{1,9})?)(?: of (\\d{1,9}))?(?: within (\\d{1,11})(ms|s|m|h))?"
              + "(?: pause (\\d{1,11})(ms|s|m|h))?(?: probes (\\d{1,9}))?");

  private final double rate;
  private final int attempts;
  private final Duration window;
  private final Duration pause;
  private final int probes;

  private Breaker(double rate, int attempts, Duration window, Duration pause, int probes) {
    this.rate = rate;
    this.attempts = attempts;
    this.window = window;
    this.pause = pause;
    this.probes = probes;
  }

  /**
   * Creates a breaker that looks at 20 attempts or more within a minute, pauses for 30 seconds and
   * tries 3 tasks.
   *
   * @param rate the rate of failed attempts from which it trips, 0.001 to 1; six decimals count
   * @return the breaker
   * @throws IllegalArgumentException if out of range
   */
  public static Breaker at(double rate) {
    if (!(rate >= LEAST_RATE && rate <= 1)) {
      throw new IllegalArgumentException(
          "the rate of a breaker is " + rate + "; it must be 0.001 to 1");
    }
    double rounded =
        BigDecimal.valueOf(rate).setScale(DECIMALS, RoundingMode.HALF_UP).doubleValue();
    return new Breaker(rounded, 20, Duration.ofMinutes(1), Duration.ofSeconds(30), 3);
  }

  /**
   * Sets how many attempts a process must have seen within the time before it may trip.
   *
   * @param minimum 1 to 999,999
   * @return a copy with this minimum
   * @throws IllegalArgumentException if out of range
   */
  public Breaker of(int minimum) {
    int checked = inRange("minimum", minimum, MOST_ATTEMPTS);
    return new Breaker(rate, checked, window, pause, probes);
  }

  /**
   * Sets the time that it looks back.
   *
   * @param time 1 millisecond to 9,999 hours
   * @return a copy with this time
   * @throws IllegalArgumentException if out of range
   */
  public Breaker within(Duration time) {
    return new Breaker(rate, attempts, inRange("time", time), pause, probes);
  }

  /**
   * Sets how long the kind is paused when it trips, and when a try fails.
   *
   * @param length 1 millisecond to 9,999 hours
   * @return a copy with this pause
   * @throws IllegalArgumentException if out of range
   */
  public Breaker pauseFor(Duration length) {
    return new Breaker(rate, attempts, window, inRange("pause", length), probes);
  }

  /**
   * Sets how many tasks are tried at a time after a pause, over all processes, and how many must
   * succeed in a row in one process. A call of a batch handler counts as one at a time.
   *
   * @param tasks 1 to 999
   * @return a copy with these probes
   * @throws IllegalArgumentException if out of range
   */
  public Breaker probes(int tasks) {
    int checked = inRange("number of probes", tasks, MOST_PROBES);
    return new Breaker(rate, attempts, window, pause, checked);
  }

  private static int inRange(String what, int value, int most) {
    if (value < 1 || value > most) {
      throw new IllegalArgumentException(
          "the " + what + " of a breaker is " + value + "; it must be 1 to " + most);
    }
    return value;
  }

  private static Duration inRange(String what, Duration value) {
    if (value.compareTo(SHORTEST) < 0 || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "the " + what + " of a breaker is " + value + "; it must be 1 ms to 9,999 hours");
    }
    return Duration.ofMillis(value.toMillis());
  }

  /**
   * Parses the text form. What is left out has the value of {@link #at}.
   *
   * @param text such as {@code 0.5 of 20 within 1m pause 30s probes 3}; units are ms, s, m and h
   * @return the breaker
   * @throws IllegalArgumentException if it has another form, or a value is out of range
   */
  public static Breaker parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("a breaker is written as " + FORM);
    }
    Breaker breaker = at(Double.parseDouble(parts.group(1)));
    breaker = parts.group(2) == null ? breaker : breaker.of(Integer.parseInt(parts.group(2)));
    breaker = parts.group(3) == null ? breaker : breaker.within(duration(parts, 3));
    breaker = parts.group(5) == null ? breaker : breaker.pauseFor(duration(parts, 5));
    return parts.group(7) == null ? breaker : breaker.probes(Integer.parseInt(parts.group(7)));
  }

  private static Duration duration(Matcher parts, int group) {
    long number = Long.parseLong(parts.group(group));
    return switch (parts.group(group + 1)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      default -> Duration.ofHours(number);
    };
  }

  /**
   * The rate of failed attempts from which it trips.
   *
   * @return 0.001 to 1
   */
  public double rate() {
    return rate;
  }

  /**
   * How many attempts a process must have seen before it trips.
   *
   * @return 1 or more
   */
  public int minimum() {
    return attempts;
  }

  /**
   * The time that it looks back.
   *
   * @return the time
   */
  public Duration window() {
    return window;
  }

  /**
   * How long the kind is paused.
   *
   * @return the pause
   */
  public Duration pause() {
    return pause;
  }

  /**
   * How many tasks are tried at a time after a pause.
   *
   * @return 1 or more
   */
  public int probes() {
    return probes;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Breaker breaker && toString().equals(breaker.toString());
  }

  @Override
  public int hashCode() {
    return Objects.hash(rate, attempts, window, pause, probes);
  }

  /** The text form, which {@link #parse} takes. */
  @Override
  public String toString() {
    return BigDecimal.valueOf(rate).stripTrailingZeros().toPlainString()
        + " of "
        + attempts
        + " within "
        + text(window)
        + " pause "
        + text(pause)
        + " probes "
        + probes;
  }

  private static String text(Duration duration) {
    long millis = duration.toMillis();
    return millis % 3_600_000 == 0
        ? millis / 3_600_000 + "h"
        : millis % 60_000 == 0
            ? millis / 60_000 + "m"
            : millis % 1_000 == 0 ? millis / 1_000 + "s" : millis + "ms";
  }
}
