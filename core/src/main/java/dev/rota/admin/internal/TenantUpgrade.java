package dev.rota.admin.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.LockRetry;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.RoleSql;
import dev.rota.internal.schema.TenantDdl;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.SegmentCatalog;
import dev.rota.internal.tenant.TenantEditor;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Adds to tenants of an older version the columns, functions and views that they lack, one
 * transaction for each tenant. The columns are null, so that no row is touched.
 */
final class TenantUpgrade {

  private static final Sql LOOK_FOR_OUTDATED_TENANTS = Sql.named("look_for_outdated_tenants");

  private static final Logger log = Logs.of(TenantUpgrade.class);

  private final Database database;
  private final TenantRegistry registry;
  private final LockRetry change;
  private final TenantDdl ddl;

  /** The parts that a tenant lacks. */
  private record Lack(int tenant, boolean columns, boolean functions, boolean views) {}

  TenantUpgrade(Database database, TenantRegistry registry) {
    this.database = database;
    this.registry = registry;
    this.change =
        new LockRetry(
            database,
            "them",
            "stop the workers of the older version or end long transactions, and migrate again");
    this.ddl = new TenantDdl(registry.tables());
  }

  void run() {
    List<Lack> outdated =
        database.transaction("look for outdated tenants", session -> outdated(session, null));
    for (Lack lack : outdated) {
      upgrade(registry.get(lack.tenant()));
    }
    if (!outdated.isEmpty()) {
      log.info("Rota upgraded {} tenants to this version", outdated.size());
    }
  }

  private List<Lack> outdated(Session session, @Nullable Integer tenant) throws SQLException {
    return session.run(
        BoundStatement.query(
            LOOK_FOR_OUTDATED_TENANTS.call(),
            LOOK_FOR_OUTDATED_TENANTS.on("tenants", registry.tables().tenants()),
            row -> new Lack(row.getInt(1), row.getBoolean(2), row.getBoolean(3), row.getBoolean(4)),
            registry.tables().schema(),
            tenant,
            tenant));
  }

  private void upgrade(TenantRef tenant) {
    String purpose = "upgrade the tables of " + tenant.label();
    try {
      change.make(purpose, session -> upgrade(session, tenant));
    } catch (SQLException e) {
      throw SqlErrors.translate(purpose, e);
    }
  }

  /**
   * Upgrades one tenant. Another process may have done it, or be doing it; the lock on the tenant's
   * row serializes them.
   */
  private boolean upgrade(Session session, TenantRef tenant) throws SQLException {
    session.run(RoleSql.actAsKeeper(registry.tables()));
    TenantEditor.lock(session, registry.tables(), tenant);
    List<Lack> lacks = outdated(session, tenant.number());
    for (Lack lack : lacks) {
      session.execute("upgrade tenant", statements(session, tenant, lack));
    }
    return !lacks.isEmpty();
  }

  private List<String> statements(Session session, TenantRef tenant, Lack lack)
      throws SQLException {
    List<String> statements = new ArrayList<>();
    if (lack.columns() || lack.views()) {
      List<Integer> segments =
          new SegmentCatalog(registry.tables(), tenant.number())
              .inDatabase(session.dsl(), Integer.MAX_VALUE).stream().sorted().toList();
      if (lack.columns()) {
        statements.addAll(ddl.addMarks(tenant.tables(), segments));
      }
      List<Integer> priorities =
          registry.read(session, tenant.number()).state().lanes().priorities();
      statements.addAll(ddl.createViews(tenant.tables(), priorities, segments));
    }
    if (lack.functions()) {
      statements.add(ddl.createFunctions(tenant.tables()));
    }
    return statements;
  }
}
