package dev.rota.spring;

import java.util.Collection;

/** Thrown at the start if nothing tells which data source Rota is to use. */
final class AmbiguousDataSourceException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  AmbiguousDataSourceException(Collection<String> names) {
    super("Rota cannot choose one of the DataSource beans " + String.join(", ", names));
  }
}
