package dev.rota.dashboard.internal.api;

import dev.rota.dashboard.internal.view.Visit;
import java.util.List;
import java.util.function.Function;

/**
 * A read of the API.
 *
 * @param path its path below that of the API
 * @param summary what it reads, in words
 * @param parameters the names of its parameters; one with a star has to be given
 * @param type the type of what it answers
 * @param read reads it
 */
record Endpoint(
    String path,
    String summary,
    List<String> parameters,
    Class<?> type,
    Function<Visit, Object> read) {

  /** A read that viewers of some tenants may ask for. */
  static <T> Endpoint of(
      String path,
      String summary,
      List<String> parameters,
      Class<T> type,
      Function<Visit, T> read) {
    return new Endpoint(path, summary, parameters, type, read::apply);
  }

  /** A read about all tenants. */
  static <T> Endpoint ofAll(
      String path,
      String summary,
      List<String> parameters,
      Class<T> type,
      Function<Visit, T> read) {
    return new Endpoint(
        path,
        summary,
        parameters,
        type,
        visit -> {
          visit.requireAllTenants();
          return read.apply(visit);
        });
  }
}
