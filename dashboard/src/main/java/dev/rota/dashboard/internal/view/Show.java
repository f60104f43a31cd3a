package dev.rota.dashboard.internal.view;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/** Formats values for people. */
public final class Show {

  private static final int LONGEST = 200;
  private static final int KILO = 1_024;
  private static final List<String> BYTES = List.of("B", "kB", "MB", "GB", "TB");

  private Show() {}

  public static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** A number that is estimated. */
  public static String about(long number) {
    return "~" + count(number);
  }

  public static String rate(double aSecond) {
    return aSecond >= 100
        ? count(Math.round(aSecond)) + "/s"
        : String.format(Locale.ROOT, "%.1f/s", aSecond);
  }

  /** A number of bytes; a unit is 1,024 of the one before, as in the server. */
  public static String bytes(long number) {
    double rest = number;
    int unit = 0;
    while (Math.abs(rest) >= KILO && unit < BYTES.size() - 1) {
      rest /= KILO;
      unit++;
    }
    return unit == 0 ? number + " B" : String.format(Locale.ROOT, "%.1f ", rest) + BYTES.get(unit);
  }

  /** An age or a duration in its largest unit. */
  public static String time(Duration time) {
    double seconds = time.toMillis() / 1e3;
    if (seconds < 1) {
      return time.toMillis() + " ms";
    }
    if (seconds < 60) {
      return String.format(Locale.ROOT, "%.1f s", seconds);
    }
    if (seconds < 3_600) {
      return (long) (seconds / 60) + " min";
    }
    return seconds < 2 * 86_400
        ? (long) (seconds / 3_600) + " h"
        : (long) (seconds / 86_400) + " d";
  }

  /** How long ago a time was, by the clock of the database. */
  public static String ago(Instant time, Instant now) {
    Duration age = Duration.between(time, now);
    return age.isNegative() ? "in " + time(age.negated()) : time(age) + " ago";
  }

  public static String instant(Instant time) {
    return time.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  public static String percent(long part, long all) {
    return all == 0 ? "" : String.format(Locale.ROOT, "%.1f %%", 100.0 * part / all);
  }

  /** The beginning of a text, on one line. */
  public static String line(String text) {
    String line = text.lines().findFirst().orElse("");
    return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
  }
}
