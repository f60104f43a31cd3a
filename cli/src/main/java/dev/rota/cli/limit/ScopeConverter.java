package dev.rota.cli.limit;

import dev.rota.limits.Scope;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses the text of a scope. */
final class ScopeConverter implements ITypeConverter<Scope> {

  /** The forms, for the help of commands. */
  static final String FORMS =
      "all, kind:K, plan:P, plan:P/kind:K, tenant:T, tenant:T/kind:K or tenant:T/priority:N.";

  @Override
  public Scope convert(String value) {
    try {
      return Scope.parse(value);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
