package dev.rota.dashboard;

import java.util.Map;
import java.util.Optional;

/**
 * A request for a page. Immutable.
 *
 * @param method the method of HTTP, in upper case
 * @param location what is asked for
 * @param parameters the first value of each parameter in the query
 * @param headers the headers, by their names in lower case
 * @param user the name of the user whom the host identified; empty if none
 */
public record DashboardRequest(
    String method,
    Location location,
    Map<String, String> parameters,
    Map<String, String> headers,
    Optional<String> user) {

  /**
   * Keeps copies.
   *
   * @param method the method of HTTP
   * @param location what is asked for
   * @param parameters the parameters
   * @param headers the headers
   * @param user the name of the user
   */
  public DashboardRequest {
    parameters = Map.copyOf(parameters);
    headers = Map.copyOf(headers);
  }

  /**
   * What is asked for.
   *
   * @param mount the path under which the dashboard is mounted, such as {@code /ops/rota}; empty at
   *     the root
   * @param path the decoded path below it, which begins with a slash
   */
  public record Location(String mount, String path) {}

  /**
   * A parameter that is not blank.
   *
   * @param name its name
   * @return its value
   */
  public Optional<String> parameter(String name) {
    return Optional.ofNullable(parameters.get(name)).map(String::strip).filter(v -> !v.isEmpty());
  }
}
