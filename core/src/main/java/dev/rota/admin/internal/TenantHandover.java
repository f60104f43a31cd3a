package dev.rota.admin.internal;

import dev.rota.admin.Roles;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.LockRetry;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.schema.NamePatterns;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantEditor;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Transfers the tables of existing tenants to the role that maintains them, and grants the other
 * roles their use. It uses one transaction for each tenant, and only where something is missing.
 */
final class TenantHandover {

  private final Database database;
  private final TenantRegistry registry;
  private final Roles roles;
  private final NamePatterns names;
  private final LockRetry change;

  /** A statement that a tenant's schema needs. */
  private record Need(String statement, String schema) {}

  TenantHandover(Database database, TenantRegistry registry, Roles roles) {
    this.database = database;
    this.registry = registry;
    this.roles = roles;
    this.names = new NamePatterns(registry.tables());
    this.change =
        new LockRetry(database, "them", "end long transactions that use them, and migrate again");
  }

  void run() {
    List<Need> needs =
        database.transaction(
            "look for tenants to hand over", session -> needs(session, names.tenantSchemas()));
    needs.stream().map(this::number).distinct().sorted().forEach(this::handOver);
  }

  private int number(Need need) {
    return Integer.parseInt(need.schema().substring(registry.tables().schema().length() + 1));
  }

  private void handOver(int number) {
    TenantRef tenant = registry.get(number);
    String purpose = "hand over the tables of " + tenant.label();
    try {
      boolean unused = change.make(purpose, session -> handOver(session, tenant));
    } catch (SQLException e) {
      throw SqlErrors.translate(purpose, e);
    }
  }

  /** Hands over one tenant. The lock on its row keeps the daemon from adding tables meanwhile. */
  private boolean handOver(Session session, TenantRef tenant) throws SQLException {
    TenantEditor.lock(session, registry.tables(), tenant);
    List<String> statements =
        needs(session, names.tenantSchema(tenant.number())).stream().map(Need::statement).toList();
    if (!statements.isEmpty()) {
      session.execute("hand over", statements);
    }
    return true;
  }

  private List<Need> needs(Session session, String schemas) throws SQLException {
    String tables = names.tenantTables();
    List<Need> needs = new ArrayList<>();
    needs.addAll(look(session, RoleSetup.OWNERS_OF_SCHEMAS, roles.daemon(), schemas));
    needs.addAll(look(session, RoleSetup.OWNERS_OF_TABLES, roles.daemon(), schemas, tables));
    String functions = NamePatterns.functions();
    needs.addAll(look(session, RoleSetup.OWNERS_OF_FUNCTIONS, roles.daemon(), schemas, functions));
    needs.addAll(
        look(session, RoleSetup.GRANTS_ON_FUNCTIONS, roles.application(), schemas, functions, 0));
    for (String role : List.of(roles.application(), roles.reader())) {
      needs.addAll(look(session, RoleSetup.GRANTS_ON_SCHEMAS, role, "usage", schemas));
    }
    String[] changes = RoleSetup.CHANGES.toArray(String[]::new);
    needs.addAll(
        look(session, RoleSetup.GRANTS_ON_TABLES, roles.application(), changes, schemas, tables));
    String[] reading = {"select"};
    needs.addAll(
        look(session, RoleSetup.GRANTS_ON_TABLES, roles.reader(), reading, schemas, tables));
    return needs;
  }

  private static List<Need> look(Session session, Sql look, @Nullable Object... binds)
      throws SQLException {
    return session.run(
        BoundStatement.query(
            look.call(), look.text(), row -> new Need(row.getString(1), row.getString(2)), binds));
  }
}
