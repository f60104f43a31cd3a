package dev.rota.cli.limit;

import dev.rota.limits.Rate;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses the text of a rate. */
final class RateConverter implements ITypeConverter<Rate> {

  @Override
  public Rate convert(String value) {
    try {
      return Rate.parse(value);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
