package dev.rota.cli.common;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses {@code 8192}, {@code 64kB}, {@code 256MB}, {@code 1GB}; a kB is 1,024 bytes, as in
 * PostgreSQL.
 */
public final class SizeConverter implements ITypeConverter<Long> {

  private static final Pattern SIZE = Pattern.compile("(?i)(\\d{1,9})(B|[KMG]i?B)?");

  /** Creates the converter; called by picocli. */
  public SizeConverter() {}

  @Override
  public Long convert(String value) {
    Matcher matcher = SIZE.matcher(value);
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "'" + value + "' is not a size such as 8192, 64kB, 256MB or 1GB");
    }
    String unit = matcher.group(2) == null ? "B" : matcher.group(2).toUpperCase(Locale.ROOT);
    return Long.parseLong(matcher.group(1)) << shift(unit.charAt(0));
  }

  private static int shift(char unit) {
    return switch (unit) {
      case 'K' -> 10;
      case 'M' -> 20;
      case 'G' -> 30;
      default -> 0;
    };
  }
}
