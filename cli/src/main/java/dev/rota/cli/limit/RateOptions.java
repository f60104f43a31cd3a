package dev.rota.cli.limit;

import dev.rota.limits.Limits;
import dev.rota.limits.Rate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options of a rate. */
final class RateOptions {

  @Option(
      names = "--rate",
      paramLabel = "N/TIME",
      converter = Form.class,
      description = {
        "How many of its tasks may begin in a time, over all processes, such as 100/s,",
        "10/m or 1/2h, from 1/d to 1000000/s; for a plan: of each of its tenants."
      })
  private @Nullable Rate rate;

  @Option(
      names = "--burst",
      paramLabel = "N",
      description = {
        "How many of them may begin at once after a time in which fewer began;",
        "without it those of 0.1 seconds, and at least 1."
      })
  private @Nullable Integer burst;

  boolean areGiven() {
    return rate != null || burst != null;
  }

  /** Sets what is given. */
  Limits on(Limits limits) {
    Limits rated = rate == null ? limits : limits.rate(rate);
    return burst == null ? rated : rated.burst(burst);
  }

  /** Parses the text of a rate. */
  static final class Form implements ITypeConverter<Rate> {

    @Override
    public Rate convert(String value) {
      try {
        return Rate.parse(value);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
