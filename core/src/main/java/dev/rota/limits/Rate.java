package dev.rota.limits;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many tasks of a scope may begin in a time. In any window {@code w}, at most {@code burst +
 * starts * (w + 0.1 s) / per} begin, and 0.2 seconds' worth more where workers were late.
 *
 * @param starts how many begin in each period
 * @param per the period, in whole milliseconds; from 1 ms to 366 days
 * @param burst how many may begin at once after a time in which fewer began; 1 to 1,000,000
 * @see Limits#rate(long, Duration)
 */
public record Rate(long starts, Duration per, int burst) {

  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofDays(366);
  private static final int MOST_BURST = 1_000_000;
  private static final double BURST_NANOS = 1e8;
  private static final double LEAST_STEP = 1e3;
  private static final double MOST_STEP = Duration.ofDays(1).toNanos();
  private static final Pattern FORM = Pattern.compile("(\\d{1,15})/(\\d{0,9})(ms|s|m|h|d)");
  private static final List<Unit> UNITS =
      List.of(
          new Unit("d", ChronoUnit.DAYS),
          new Unit("h", ChronoUnit.HOURS),
          new Unit("m", ChronoUnit.MINUTES),
          new Unit("s", ChronoUnit.SECONDS),
          new Unit("ms", ChronoUnit.MILLIS));

  private record Unit(String text, ChronoUnit unit) {

    boolean divides(Duration length) {
      return length.toMillis() % unit.getDuration().toMillis() == 0;
    }

    String of(Duration length) {
      long count = length.toMillis() / unit.getDuration().toMillis();
      return (count == 1 ? "" : Long.toString(count)) + text;
    }
  }

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if a value is out of range, with the range and the form
   */
  public Rate {
    boolean fits =
        starts > 0
            && per.compareTo(SHORTEST) >= 0
            && per.compareTo(LONGEST) <= 0
            && per.toNanos() % SHORTEST.toNanos() == 0;
    double step = fits ? (double) per.toNanos() / starts : 0;
    if (step < LEAST_STEP || step > MOST_STEP) {
      throw new IllegalArgumentException(
          "rate is "
              + starts
              + " in "
              + per
              + "; it must be 1/d to 1000000/s, in a time of 1ms to 366d, such as 100/s or 10/m");
    }
    if (burst < 1 || burst > MOST_BURST) {
      throw new IllegalArgumentException("burst is " + burst + "; it must be 1 to " + MOST_BURST);
    }
  }

  /**
   * Creates a rate with the usual burst: what begins in 0.1 seconds, and at least 1.
   *
   * @param starts how many begin in each period
   * @param per the period
   * @return the rate
   * @throws IllegalArgumentException if it is below 1 a day or above 1 a microsecond
   */
  public static Rate of(long starts, Duration per) {
    Rate least = new Rate(starts, per, 1);
    return least.withBurst((int) Math.max(1, Math.round(BURST_NANOS / least.stepNanos())));
  }

  /**
   * Reads a rate such as {@code 100/s}, {@code 10/m} or {@code 1/2h}; units are ms, s, m, h and d.
   *
   * @param text the text
   * @return the rate, with the usual burst
   * @throws IllegalArgumentException if the text has another form, or the rate is out of range
   */
  public static Rate parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "rate is '" + text + "'; it must be such as 100/s, 10/m or 1/2h, with ms, s, m, h or d");
    }
    ChronoUnit unit =
        UNITS.stream()
            .filter(one -> one.text.equals(form.group(3)))
            .map(Unit::unit)
            .findFirst()
            .orElseThrow();
    long count = form.group(2).isEmpty() ? 1 : Long.parseLong(form.group(2));
    // A longer time is out of range too, and may not fit into a duration.
    Duration per = count > LONGEST.toMillis() ? LONGEST.plusDays(1) : Duration.of(count, unit);
    return of(Long.parseLong(form.group(1)), per);
  }

  /**
   * Sets the burst.
   *
   * @param most how many may begin at once
   * @return a copy with this burst
   * @throws IllegalArgumentException if out of range
   */
  public Rate withBurst(int most) {
    return new Rate(starts, per, most);
  }

  /**
   * The time from one start to the next at this rate.
   *
   * @return nanoseconds
   */
  public double stepNanos() {
    return (double) per.toNanos() / starts;
  }

  /**
   * The rate in the form of {@link #parse}, without its burst.
   *
   * @return such as {@code 100/s}
   */
  public String text() {
    return starts
        + "/"
        + UNITS.stream().filter(unit -> unit.divides(per)).findFirst().orElseThrow().of(per);
  }

  @Override
  public String toString() {
    return text() + " burst " + burst;
  }
}
