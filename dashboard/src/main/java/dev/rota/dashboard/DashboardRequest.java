package dev.rota.dashboard;

import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A request for a page. Immutable.
 *
 * @param method the method of HTTP, in upper case
 * @param location what is asked for
 * @param parameters the first value of each parameter, in the query or in a form
 * @param headers the headers, by their names in lower case
 * @param caller what the host knows of the person behind the request
 */
public record DashboardRequest(
    String method,
    Location location,
    Map<String, String> parameters,
    Map<String, String> headers,
    Caller caller) {

  /**
   * Keeps copies.
   *
   * @param method the method of HTTP
   * @param location what is asked for
   * @param parameters the parameters
   * @param headers the headers
   * @param caller the person behind it
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
   * What the host of the dashboard knows of the person behind a request.
   *
   * @param user the name of the user whom the host identified; empty if none
   * @param roles tells whether that user has a role of a name
   * @param token what each form must carry for the host to accept it; empty if it asks for nothing
   */
  public record Caller(Optional<String> user, Predicate<String> roles, Optional<Token> token) {

    /**
     * A caller whom the host does not know.
     *
     * @return the caller
     */
    public static Caller unknown() {
      return new Caller(Optional.empty(), role -> false, Optional.empty());
    }
  }

  /**
   * A parameter that the host asks of each form, against forgery.
   *
   * @param name its name
   * @param value makes its value, once for each form; a host may begin a session for it
   */
  public record Token(String name, Supplier<String> value) {}

  /**
   * A parameter that is not blank, as it was sent: names of tenants may begin or end with a space.
   *
   * @param name its name
   * @return its value
   */
  public Optional<String> parameter(String name) {
    return Optional.ofNullable(parameters.get(name)).filter(value -> !value.isBlank());
  }
}
