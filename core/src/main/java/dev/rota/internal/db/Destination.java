package dev.rota.internal.db;

import dev.rota.internal.text.SafeText;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.postgresql.Driver;

/**
 * The host and database of a JDBC URL, for messages.
 *
 * @param hosts host and port, several with commas between them
 * @param database the name of the database
 */
public record Destination(String hosts, String database) {

  private static final String POSTGRESQL = "jdbc:postgresql:";

  /** Parses a URL that is known to be well-formed. */
  public static Destination of(String jdbcUrl) {
    int start = jdbcUrl.indexOf("postgresql:");
    // Drivers that wrap PostgreSQL's have URLs of their own, with the same parts.
    String plain = start < 0 ? jdbcUrl : "jdbc:" + jdbcUrl.substring(start);
    Properties parts =
        plain.startsWith(POSTGRESQL) ? Driver.parseURL(plain, new Properties()) : null;
    return parts == null
        ? new Destination("the server of the URL", "of the URL")
        : new Destination(hosts(parts), database(parts));
  }

  private static String hosts(Properties parts) {
    List<String> hosts = List.of(parts.getProperty("PGHOST", "localhost").split(","));
    List<String> ports = List.of(parts.getProperty("PGPORT", "5432").split(","));
    List<String> places = new ArrayList<>();
    for (int i = 0; i < hosts.size(); i++) {
      places.add(hosts.get(i) + ":" + ports.get(Math.min(i, ports.size() - 1)));
    }
    return SafeText.whole(String.join(",", places));
  }

  /** The database of the URL. The driver uses the user's name where the URL names no database. */
  private static String database(Properties parts) {
    String user = parts.getProperty("user", System.getProperty("user.name", ""));
    return SafeText.whole(parts.getProperty("PGDBNAME", user));
  }

  /** Creates the exception for a failed attempt to connect. */
  public NoConnectionException failure(SQLException cause) {
    return new NoConnectionException(this, cause);
  }

  @Override
  public String toString() {
    return "database \"" + database + "\" at " + hosts;
  }
}
