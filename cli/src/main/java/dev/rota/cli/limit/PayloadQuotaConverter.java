package dev.rota.cli.limit;

import dev.rota.limits.PayloadQuota;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a quota of payloads. */
final class PayloadQuotaConverter implements ITypeConverter<PayloadQuota> {

  @Override
  public PayloadQuota convert(String value) {
    try {
      return PayloadQuota.parse(value);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
