package dev.rota.cli.limit;

import dev.rota.internal.text.SafeText;
import java.math.BigDecimal;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a whole number, which may have an exponent. */
final class CountConverter implements ITypeConverter<Long> {

  @Override
  public Long convert(String value) {
    try {
      return new BigDecimal(value).longValueExact();
    } catch (ArithmeticException | NumberFormatException e) {
      throw new TypeConversionException(
          "'" + SafeText.of(value) + "' is no whole number, such as 100000 or 1e5");
    }
  }
}
