package dev.rota.cli.common;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses the priority of a task. */
public final class PriorityConverter implements ITypeConverter<Integer> {

  private static final int LIMIT = 1_000;

  @Override
  public Integer convert(String value) {
    try {
      int priority = Integer.parseInt(value);
      if (priority >= -LIMIT && priority <= LIMIT) {
        return priority;
      }
    } catch (NumberFormatException e) {
      throw refused(value);
    }
    throw refused(value);
  }

  private static TypeConversionException refused(String value) {
    return new TypeConversionException("'" + value + "' is not a whole number from -1000 to 1000");
  }
}
