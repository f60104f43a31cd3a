package dev.rota.cli.database;

import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.UsageException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options that name the database of a command, as a mixin of picocli.
 *
 * @see CommandContext#openOrTemporary(DatabaseOptions)
 */
public final class DatabaseOptions {

  public static final String URL_VARIABLE = "ROTA_JDBC_URL";

  @Option(
      names = "--jdbc-url",
      paramLabel = "URL",
      description = {
        "The database, as jdbc:postgresql://host:5432/database; by default the value of the"
            + " environment variable ROTA_JDBC_URL.",
        "User and password come from the URL (?user=...&password=...) or from PGUSER and"
            + " PGPASSWORD, which other users of the machine cannot see."
      })
  private @Nullable String jdbcUrl;

  @Option(
      names = "--embedded",
      paramLabel = "DIR",
      description =
          "Start a PostgreSQL 18 of Rota's own whose data live in this directory, or use the one"
              + " that runs there already.")
  private @Nullable Path embedded;

  @Option(
      names = "--schema",
      paramLabel = "NAME",
      defaultValue = "rota",
      description = "The schema of Rota's registry; ${DEFAULT-VALUE} by default.")
  private String schema = "rota";

  /** Creates empty options. */
  public DatabaseOptions() {}

  /** Opens the database that the options name. */
  public CommandDatabase open(Terminal terminal, Secrets secrets) {
    CommandDatabase database = openNamed(terminal, secrets);
    if (database == null) {
      throw new UsageException(
          "no database given: use --jdbc-url URL, the environment variable ROTA_JDBC_URL, or"
              + " --embedded DIR");
    }
    return database;
  }

  /** Opens the database that the options name, else one in a temporary directory. */
  public CommandDatabase openOrTemporary(Terminal terminal, Secrets secrets) {
    CommandDatabase database = openNamed(terminal, secrets);
    if (database != null) {
      return database;
    }
    BundledLibrary.SERVER.require("a database of its own");
    return CommandDatabase.embedded(LocalServer.temporary(), schema);
  }

  private @Nullable CommandDatabase openNamed(Terminal terminal, Secrets secrets) {
    if (jdbcUrl != null && embedded != null) {
      throw new UsageException("--jdbc-url and --embedded exclude each other");
    }
    if (embedded != null) {
      BundledLibrary.SERVER.require("--embedded");
      return CommandDatabase.embedded(LocalServer.start(embedded), schema);
    }
    String url = jdbcUrl == null ? terminal.environment().get(URL_VARIABLE) : jdbcUrl;
    return url == null || url.isBlank()
        ? null
        : CommandDatabase.at(
            DatabaseAddress.of(url.strip(), terminal.environment(), secrets), schema);
  }
}
