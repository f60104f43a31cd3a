package dev.rota.cli.limit;

import dev.rota.limits.Breaker;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses the text of a breaker. */
final class BreakerConverter implements ITypeConverter<Breaker> {

  @Override
  public Breaker convert(String value) {
    try {
      return Breaker.parse(value);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
