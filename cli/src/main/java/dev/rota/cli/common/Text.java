package dev.rota.cli.common;

import dev.rota.TaskState;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Formats values for people. */
public final class Text {

  private Text() {}

  public static String seconds(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  public static String state(TaskState state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  public static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** Formats an age in its largest unit, as {@code 4.2s}, {@code 3m}, {@code 2h} or {@code 5d}. */
  public static String age(double seconds) {
    if (seconds < 60) {
      return String.format(Locale.ROOT, "%.1fs", Math.max(0, seconds));
    }
    if (seconds < 3_600) {
      return (long) (seconds / 60) + "m";
    }
    return seconds < 86_400 ? (long) (seconds / 3_600) + "h" : (long) (seconds / 86_400) + "d";
  }

  /** A duration of any length, without the overflow of {@link Duration#toNanos}. */
  public static double inSeconds(Duration duration) {
    return BigDecimal.valueOf(duration.getNano(), 9)
        .add(BigDecimal.valueOf(duration.getSeconds()))
        .doubleValue();
  }

  /** A duration as options take it, such as {@code 30d} or {@code 1h30m}. */
  public static String duration(Duration duration) {
    String text =
        part(duration.toDaysPart(), "d")
            + part(duration.toHoursPart(), "h")
            + part(duration.toMinutesPart(), "m")
            + part(duration.toSecondsPart(), "s")
            + part(duration.toMillisPart(), "ms");
    return text.isEmpty() ? "0s" : text;
  }

  private static String part(long number, String unit) {
    return number == 0 ? "" : number + unit;
  }
}
