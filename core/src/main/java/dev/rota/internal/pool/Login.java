package dev.rota.internal.pool;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;

/**
 * A JDBC URL without its password, and the password. Pools and drivers write URLs into their logs
 * and exceptions.
 */
final class Login {

  private static final String ANY = "jdbc:";
  private static final String POSTGRESQL = "jdbc:postgresql:";
  private static final String PASSWORD = "password=";

  private final String url;
  private final @Nullable String password;

  private Login(String url, @Nullable String password) {
    this.url = url;
    this.password = password;
  }

  /** Parses a URL; a malformed one is refused without being shown. */
  static Login of(String jdbcUrl) {
    return new Login(withoutPassword(jdbcUrl), password(jdbcUrl));
  }

  /**
   * Finds the password. Drivers that wrap PostgreSQL's have URLs of their own, with the same
   * parameters.
   */
  private static @Nullable String password(String jdbcUrl) {
    if (jdbcUrl.startsWith(ANY) && !jdbcUrl.startsWith(POSTGRESQL)) {
      return parameters(jdbcUrl).stream()
          .filter(parameter -> parameter.startsWith(PASSWORD))
          .map(parameter -> URLDecoder.decode(parameter.substring(PASSWORD.length()), UTF_8))
          .findFirst()
          .orElse(null);
    }
    Properties parsed =
        jdbcUrl.startsWith(POSTGRESQL) ? Driver.parseURL(jdbcUrl, new Properties()) : null;
    if (parsed == null) {
      throw new IllegalArgumentException(
          "the JDBC URL is malformed; it looks like jdbc:postgresql://host:5432/database?user=...,"
              + " and is not shown here since it may hold a password");
    }
    return parsed.getProperty("password");
  }

  private static List<String> parameters(String jdbcUrl) {
    int query = jdbcUrl.indexOf('?');
    return query < 0 ? List.of() : List.of(jdbcUrl.substring(query + 1).split("&", -1));
  }

  String url() {
    return url;
  }

  /** The connection properties that are not in the URL. */
  Properties properties() {
    Properties properties = new Properties();
    if (password != null) {
      properties.setProperty("password", password);
    }
    return properties;
  }

  private static String withoutPassword(String jdbcUrl) {
    int query = jdbcUrl.indexOf('?');
    String kept =
        parameters(jdbcUrl).stream()
            .filter(parameter -> !parameter.startsWith(PASSWORD))
            .collect(Collectors.joining("&"));
    return query < 0 ? jdbcUrl : jdbcUrl.substring(0, query) + (kept.isEmpty() ? "" : "?" + kept);
  }
}
