package dev.rota.internal;

import com.zaxxer.hikari.HikariConfig;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;

/**
 * A JDBC URL without its password, which pools and drivers write into their logs and exceptions,
 * and the password.
 */
final class Login {

  private static final String PREFIX = "jdbc:postgresql:";
  private static final String PASSWORD = "password=";

  private final String url;
  private final @Nullable String password;

  private Login(String url, @Nullable String password) {
    this.url = url;
    this.password = password;
  }

  /** Takes a URL apart; one that is malformed is refused without being shown. */
  static Login of(String jdbcUrl) {
    Properties parsed =
        jdbcUrl.startsWith(PREFIX) ? Driver.parseURL(jdbcUrl, new Properties()) : null;
    if (parsed == null) {
      throw new IllegalArgumentException(
          "the JDBC URL is malformed; it looks like jdbc:postgresql://host:5432/database?user=...,"
              + " and is not shown here since it may hold a password");
    }
    return new Login(withoutPassword(jdbcUrl), parsed.getProperty("password"));
  }

  void configure(HikariConfig config) {
    config.setJdbcUrl(url);
    if (password != null) {
      config.setPassword(password);
    }
  }

  private static String withoutPassword(String jdbcUrl) {
    int query = jdbcUrl.indexOf('?');
    if (query < 0) {
      return jdbcUrl;
    }
    StringBuilder url = new StringBuilder(jdbcUrl.substring(0, query));
    char separator = '?';
    for (String parameter : jdbcUrl.substring(query + 1).split("&", -1)) {
      if (!parameter.startsWith(PASSWORD)) {
        url.append(separator).append(parameter);
        separator = '&';
      }
    }
    return url.toString();
  }
}
