package dev.rota.admin.internal;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import dev.rota.DatabaseException;
import dev.rota.RotaException;
import dev.rota.admin.Roles;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.LockRetry;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.LedgerDdl;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.logging.LogFactory;
import org.flywaydb.core.api.output.MigrateResult;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Migrates the schema of the registry to the version of this library by Flyway, and opens the first
 * segment of the ledger. Flyway has a separate location and history table.
 */
public final class Migration {

  private static final Sql LOOK_FOR_MIGRATIONS = Sql.named("look_for_migrations");
  private static final Sql READ_SCHEMA_VERSION = Sql.named("read_schema_version");
  private static final Sql LOCK_OUT_MIGRATIONS = Sql.named("lock_out_migrations");

  private static final Logger log = Logs.of(Migration.class);

  private static final String LOCATION = "classpath:dev/rota/db/migration";
  private static final int FIRST_SEGMENT = 1;

  private final Database database;
  private final TenantRegistry registry;
  private final RegistryTables tables;
  private final int lockNamespace;
  private final Preflight preflight;
  private final LockRetry change;

  public Migration(
      Database database, TenantRegistry registry, int lockNamespace, Preflight preflight) {
    this.database = database;
    this.registry = registry;
    this.tables = registry.tables();
    this.lockNamespace = lockNamespace;
    this.preflight = preflight;
    this.change =
        new LockRetry(
            database,
            "tables of schema \"" + tables.schema() + "\"",
            "end long transactions that use them, and migrate again");
  }

  /** Migrates, and sets up the roles if some are given. */
  public void run(@Nullable Roles roles) {
    preflight.requireServer(purpose());
    if (roles == null) {
      run();
      return;
    }
    RoleSetup setup = new RoleSetup(database, tables, roles, this::lockOutOthers);
    setup.makeRoles();
    run();
    // The former owner may not register tenants later: a repetition would not trust its tables.
    TenantHandover tenants = TenantHandover.trustingPresentOwners(database, registry, roles);
    tenants.run();
    setup.handOver();
    // Tables that the former owner has made meanwhile.
    tenants.run();
    tenants.requireComplete();
  }

  /**
   * Whether migrations of this library are pending; false if the role may not read the history of
   * migrations.
   */
  public boolean isPending() {
    String schema = tables.schema();
    boolean readable = database.transaction("look for migrations", this::isReadable);
    return readable && hasPending(schema);
  }

  /** The version of the newest migration that has run; empty if the role may not read it. */
  Optional<String> version(Session session) throws SQLException {
    if (!isReadable(session)) {
      return Optional.empty();
    }
    String sql = READ_SCHEMA_VERSION.on(Map.of("migrations", DSL.sql(tables.migrationsSql())));
    return session
        .run(BoundStatement.query(READ_SCHEMA_VERSION.call(), sql, row -> row.getString(1)))
        .stream()
        .findFirst();
  }

  private boolean isReadable(Session session) throws SQLException {
    return session
        .run(
            BoundStatement.query(
                LOOK_FOR_MIGRATIONS, row -> row.getBoolean(1), tables.migrationsSql()))
        .get(0);
  }

  private boolean hasPending(String schema) {
    try (FlywaySilence silence = new FlywaySilence()) {
      return flyway(schema).info().pending().length > 0;
    }
  }

  private void run() {
    String schema = tables.schema();
    String purpose = purpose();
    try {
      database.tryTransaction(purpose, this::createSchema);
      boolean unused = change.repeat(purpose, () -> migrate(schema));
    } catch (FlywayException | SQLException e) {
      throw failure(purpose, e);
    }
    database.run("open the ledger", this::openLedger);
    new TenantUpgrade(database, registry).run();
  }

  private String purpose() {
    return "migrate schema \"" + tables.schema() + "\"";
  }

  /**
   * Creates the schema under a lock: several processes may start at once, and Flyway's own creation
   * of a schema is not made for that.
   */
  private boolean createSchema(Session session) throws SQLException {
    lockOutOthers(session);
    String schema = tables.schema();
    boolean missing =
        !session.dsl().fetchExists(table(name("pg_namespace")), field(name("nspname")).eq(schema));
    if (missing) {
      session.dsl().createSchema(name(schema)).execute();
    }
    return missing;
  }

  /**
   * Runs Flyway, a second time if the first fails. Flyway creates its table of versions without a
   * lock, and fails when another process creates it at the same moment. The second run finds the
   * table, and waits for its lock.
   */
  private boolean migrate(String schema) throws SQLException {
    try {
      runFlyway(schema);
    } catch (FlywayException e) {
      log.debug("another process may be migrating; trying once more", e);
      runFlyway(schema);
    }
    return true;
  }

  /**
   * Runs the pending migrations, each in a transaction of its own.
   *
   * @throws SQLException if another session holds a lock; a repetition continues there
   */
  private void runFlyway(String schema) throws SQLException {
    try (FlywaySilence silence = new FlywaySilence()) {
      tell(schema, flyway(schema).migrate());
    } catch (FlywayException e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof SQLException conflict && SqlErrors.isLockConflict(conflict)) {
          throw conflict;
        }
      }
      throw e;
    }
  }

  private static void tell(String schema, MigrateResult done) {
    if (done.migrationsExecuted > 0) {
      log.info("Rota brought schema \"{}\" to version {}", schema, done.targetSchemaVersion);
    }
  }

  private Flyway flyway(String schema) {
    return Flyway.configure(Migration.class.getClassLoader())
        .loggers(FlywaySilence.NO_LOGGERS)
        .dataSource(database.dataSource())
        .locations(LOCATION)
        .defaultSchema(schema)
        .createSchemas(false)
        .table(RegistryTables.MIGRATIONS)
        .placeholders(Map.of("schema", schema))
        .callbacks(new MigrationSettings(database.observer()))
        // The schema may hold tables of other programs; the names distinguish ours.
        .baselineOnMigrate(true)
        .baselineVersion("0")
        .load();
  }

  private void openLedger(Session session) throws SQLException {
    lockOutOthers(session);
    var segments = table(tables.ledgerSegments());
    if (!session.dsl().fetchExists(segments)) {
      LedgerDdl ddl = new LedgerDdl(tables);
      session.execute("open the ledger", ddl.createSegment(FIRST_SEGMENT));
      session.execute("open the ledger", List.of(ddl.view(List.of(FIRST_SEGMENT))));
      session
          .dsl()
          .insertInto(segments, field(name("seq"), Integer.class))
          .values(FIRST_SEGMENT)
          .execute();
    }
  }

  /** Locks out other migrations until the end of the transaction. */
  private void lockOutOthers(Session session) throws SQLException {
    session.sendSettings();
    session.execute(
        LOCK_OUT_MIGRATIONS.call(),
        List.of(LOCK_OUT_MIGRATIONS.on(Map.of("namespace", DSL.inline(lockNamespace)))));
  }

  private static RotaException failure(String purpose, Exception e) {
    Throwable root = e;
    while (root.getCause() != null && !(root instanceof SQLException)) {
      root = root.getCause();
    }
    if (root instanceof SQLException sql && SqlErrors.isUnavailable(sql)) {
      return SqlErrors.translate(purpose, sql);
    }
    String reason =
        root instanceof SQLException sql ? SqlErrors.firstLineOf(sql) : root.getMessage();
    return new DatabaseException(
        purpose
            + ": "
            + reason
            + " (the role needs CREATE on the database, and must own the schema)",
        e,
        false,
        false);
  }

  /**
   * Suppresses Flyway's log lines while Rota migrates: some 35 at INFO, with links to its vendor.
   * Its exceptions carry its errors. Flyway's log target is one setting of the JVM, so the last of
   * several concurrent migrations restores it for the application.
   */
  private static final class FlywaySilence implements AutoCloseable {

    /** The value for {@code FluentConfiguration.loggers}: none. */
    static final String[] NO_LOGGERS = {};

    private static int holders;

    FlywaySilence() {
      change(1);
    }

    @Override
    public void close() {
      change(-1);
    }

    private static void change(int by) {
      synchronized (FlywaySilence.class) {
        holders += by;
        if (holders == 0) {
          LogFactory.setConfiguration(Flyway.configure());
        }
      }
    }
  }
}
