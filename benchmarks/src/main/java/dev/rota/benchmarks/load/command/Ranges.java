package dev.rota.benchmarks.load.command;

import dev.rota.cli.common.UsageException;
import java.time.Duration;
import java.util.Locale;

/** Refuses options out of range, by name. */
final class Ranges {

  private Ranges() {}

  static int within(String option, int value, int least, int most) {
    return Math.toIntExact(within(option, (long) value, least, most));
  }

  static long within(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw refusal(option, value, String.format(Locale.ROOT, "%,d to %,d", least, most));
    }
    return value;
  }

  static double within(String option, double value, double least, double most) {
    if (!(value >= least && value <= most)) {
      throw refusal(option, value, least + " to " + most);
    }
    return value;
  }

  static Duration within(String option, Duration value, Duration least, Duration most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw refusal(option, text(value), text(least) + " to " + text(most));
    }
    return value;
  }

  private static UsageException refusal(String option, Object value, String allowed) {
    return new UsageException(option + " is " + value + "; allowed are " + allowed);
  }

  private static String text(Duration duration) {
    return duration.toMillis() % 1_000 == 0
        ? duration.toSeconds() + "s"
        : duration.toMillis() + "ms";
  }
}
