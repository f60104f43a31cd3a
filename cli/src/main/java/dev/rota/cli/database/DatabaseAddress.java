package dev.rota.cli.database;

import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.UsageException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;

/** A checked JDBC URL, completed with the credentials of the environment. */
final class DatabaseAddress {

  private static final String PREFIX = "jdbc:postgresql:";

  private final String jdbcUrl;

  private DatabaseAddress(String jdbcUrl) {
    this.jdbcUrl = jdbcUrl;
  }

  /**
   * Checks the URL before the driver sees it, since the driver would log parts of a malformed one.
   */
  static DatabaseAddress of(String url, Map<String, String> environment, Secrets secrets) {
    if (!url.startsWith(PREFIX)) {
      throw new UsageException("the URL of the database must start with " + PREFIX + "//");
    }
    if (authority(url).indexOf('@') >= 0) {
      throw new UsageException(
          "a JDBC URL takes no user:password@ before the host; use PGUSER and PGPASSWORD, or"
              + " the parameters user and password");
    }
    String complete = withDefault(url, "user", environment.get("PGUSER"));
    complete = withDefault(complete, "password", environment.get("PGPASSWORD"));
    remember(complete, secrets);
    return new DatabaseAddress(complete);
  }

  String jdbcUrl() {
    return jdbcUrl;
  }

  private static String authority(String url) {
    int query = url.indexOf('?');
    return query < 0 ? url : url.substring(0, query);
  }

  private static String withDefault(String url, String parameter, @Nullable String value) {
    String query = url.substring(authority(url).length()).toLowerCase(Locale.ROOT);
    boolean given =
        query.startsWith("?" + parameter + "=") || query.contains("&" + parameter + "=");
    if (given || value == null || value.isEmpty()) {
      return url;
    }
    String encoded = URLEncoder.encode(value, StandardCharsets.UTF_8);
    return url + (query.isEmpty() ? '?' : '&') + parameter + "=" + encoded;
  }

  private static void remember(String url, Secrets secrets) {
    Properties parsed = Driver.parseURL(url, new Properties());
    if (parsed == null) {
      throw new UsageException(
          "the URL of the database is malformed; it looks like"
              + " jdbc:postgresql://host:5432/database");
    }
    String password = parsed.getProperty("password", "");
    secrets.add(password);
    secrets.add(URLEncoder.encode(password, StandardCharsets.UTF_8));
  }
}
