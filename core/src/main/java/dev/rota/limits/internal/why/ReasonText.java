package dev.rota.limits.internal.why;

import java.time.Duration;
import java.util.Locale;

/** Formats figures in the texts of reasons. */
public final class ReasonText {

  private ReasonText() {}

  /** A number with a noun, as {@code 1 task} or {@code 1,200 tasks}. */
  public static String count(long number, String noun) {
    return String.format(Locale.ROOT, "%,d %s%s", number, noun, number == 1 ? "" : "s");
  }

  /**
   * A duration in its largest unit, as {@code 340 ms}, {@code 4.2 s}, {@code 3 min}, {@code 5 d}.
   */
  public static String time(Duration duration) {
    long millis = Math.max(0, duration.toMillis());
    if (millis < 1_000) {
      return millis + " ms";
    }
    if (millis < 60_000) {
      return String.format(Locale.ROOT, "%.1f s", millis / 1e3);
    }
    if (millis < 7_200_000) {
      return millis / 60_000 + " min";
    }
    return millis < 172_800_000 ? millis / 3_600_000 + " h" : millis / 86_400_000 + " d";
  }

  /** A part of one as a percentage. */
  static String percent(double part) {
    return String.format(Locale.ROOT, "%.0f %%", 100 * part);
  }

  /** A number with at most one decimal place. */
  static String number(double number) {
    return number == Math.rint(number)
        ? String.format(Locale.ROOT, "%,d", (long) number)
        : String.format(Locale.ROOT, "%.1f", number);
  }
}
