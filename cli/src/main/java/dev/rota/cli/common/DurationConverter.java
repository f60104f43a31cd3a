package dev.rota.cli.common;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses {@code 0}, {@code 500ms}, {@code 2s}, {@code 15m}, {@code 1h}, {@code 7d}, and sums as
 * {@code 1h30m}.
 */
public final class DurationConverter implements ITypeConverter<Duration> {

  private static final Pattern WHOLE = Pattern.compile("0|(?:\\d{1,9}(?:ms|s|m|h|d))+");
  private static final Pattern PART = Pattern.compile("(\\d+)(ms|s|m|h|d)");

  @Override
  public Duration convert(String value) {
    if (!WHOLE.matcher(value).matches()) {
      throw new TypeConversionException(
          "'" + value + "' is not a duration such as 500ms, 2s, 15m, 1h or 7d");
    }
    Duration sum = Duration.ZERO;
    Matcher part = PART.matcher(value);
    while (part.find()) {
      sum = sum.plus(duration(Long.parseLong(part.group(1)), part.group(2)));
    }
    return sum;
  }

  private static Duration duration(long number, String unit) {
    return switch (unit) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }
}
