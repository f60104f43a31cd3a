package dev.rota.cli.database;

import dev.rota.Rota;
import dev.rota.RotaException;
import dev.rota.cli.common.CommandErrors;
import dev.rota.cli.common.UsageException;
import dev.rota.demo.DemoTarget;
import dev.rota.internal.db.Destination;
import dev.rota.internal.db.SqlErrors;
import java.util.Properties;
import org.jooq.CloseableDSLContext;
import org.jooq.Name;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** The database of a command, and its server if the command started one. */
public final class CommandDatabase implements DemoTarget, AutoCloseable {

  /** The oldest supported version, PostgreSQL 15. */
  private static final int OLDEST = 150_000;

  private static final String APPLICATION = "ApplicationName=";

  private final String jdbcUrl;
  private final String schema;
  private final @Nullable LocalServer server;

  private CommandDatabase(String jdbcUrl, String schema, @Nullable LocalServer server) {
    this.jdbcUrl = jdbcUrl;
    this.schema = schema;
    this.server = server;
  }

  /** Connects to a database on a running server once, to fail early and clearly. */
  static CommandDatabase at(DatabaseAddress address, String schema) {
    CommandDatabase database = new CommandDatabase(address.jdbcUrl(), schema, null);
    database.rotaBuilder();
    database.requireVersion();
    return database;
  }

  static CommandDatabase embedded(LocalServer server, String schema) {
    CommandDatabase database = new CommandDatabase(server.jdbcUrl(), schema, server);
    try {
      database.rotaBuilder();
      return database;
    } catch (UsageException e) {
      server.close();
      throw e;
    }
  }

  /** The address of the embedded server's database; contains no password. */
  public String embeddedUrl() {
    return server == null ? "" : server.jdbcUrl();
  }

  /** The URL for other processes; it may contain a password. */
  public String jdbcUrl() {
    return jdbcUrl;
  }

  public boolean isEmbedded() {
    return server != null;
  }

  public Rota openRota() {
    return rotaBuilder().build();
  }

  @Override
  public Rota.Builder rotaBuilder() {
    return over(jdbcUrl);
  }

  private Rota.Builder over(String url) {
    try {
      return Rota.builder(url).schema(schema);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  /** Begins a Rota whose connections the server shows by a name, unless the URL gives them one. */
  public Rota.Builder rotaBuilder(String application) {
    boolean named = jdbcUrl.contains(APPLICATION);
    String separator = jdbcUrl.contains("?") ? "&" : "?";
    return over(named ? jdbcUrl : jdbcUrl + separator + APPLICATION + application);
  }

  @Override
  public String schema() {
    return schema;
  }

  @Override
  public CloseableDSLContext connect() {
    Properties properties = new Properties();
    properties.setProperty("connectTimeout", "10");
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty("hostRecheckSeconds", "1");
    properties.setProperty("ApplicationName", "rota command");
    try {
      return DSL.using(jdbcUrl, properties);
    } catch (DataAccessException e) {
      throw SqlErrors.translate("connect", Destination.of(jdbcUrl).failure(SqlErrors.unwrap(e)));
    }
  }

  /** Checks the schema, so that an error is reported before the first step. */
  public void requireSchema() {
    try (CloseableDSLContext context = connect()) {
      Name registry = DSL.name(schema, "tenant");
      String rendered = context.render(registry);
      boolean there =
          context
              .fetchOne("select to_regclass({0}) is not null", DSL.inline(rendered))
              .get(0, boolean.class);
      if (!there) {
        throw new RotaException(CommandErrors.schemaMissing());
      }
    }
  }

  private void requireVersion() {
    try (CloseableDSLContext context = connect()) {
      int version =
          context
              .fetchSingle("select current_setting('server_version_num')::int")
              .get(0, int.class);
      if (version < OLDEST) {
        throw new RotaException("the server is older than PostgreSQL 15, which Rota needs");
      }
    }
  }

  /** Stops the server if the command started one. */
  @Override
  public void close() {
    if (server != null) {
      server.close();
    }
  }
}
