package dev.rota.internal.tenant;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.schema.DiscoverySql;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.RoleSql;
import dev.rota.internal.sql.TenantTables;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jooq.Name;

/**
 * Creates the tables of one feature when a tenant first uses it, in a transaction of Rota's own,
 * never in one of a caller. They exist as long as the tenant, so that a positive answer stays true
 * in one history of the server. Thread-safe.
 */
public final class LazyTables {

  private final Database database;
  private final RegistryTables rota;
  private final String feature;
  private final Function<TenantTables, Name> table;
  private final Function<TenantTables, List<String>> ddl;
  private final Set<TenantTables> known = ConcurrentHashMap.newKeySet();

  /**
   * Creates the tables of one feature.
   *
   * @param feature its name in messages
   * @param table the table whose existence shows that the feature's tables exist
   * @param ddl generates the statements for all of them
   */
  public LazyTables(
      Database database,
      RegistryTables rota,
      String feature,
      Function<TenantTables, Name> table,
      Function<TenantTables, List<String>> ddl) {
    this.database = database;
    this.rota = rota;
    this.feature = feature;
    this.table = table;
    this.ddl = ddl;
    database.history().onChange(known::clear);
  }

  /** Creates the tables if they are missing, on a connection of Rota's own. */
  public void ensure(TenantRef tenant) {
    if (known.contains(tenant.tables())) {
      return;
    }
    String purpose = "make the tables for " + feature + " of " + tenant.label();
    try {
      if (!database.tryTransaction(purpose, session -> exist(session, tenant))) {
        database.tryTransaction(purpose, session -> make(session, tenant));
      }
    } catch (SQLException e) {
      throw SqlErrors.translate(
          SqlErrors.isForbidden(e)
              ? purpose + " (the owner of the tenant's tables must use the feature first)"
              : purpose,
          e);
    }
    known.add(tenant.tables());
  }

  /** Whether the tables exist, checked on the caller's connection. */
  public boolean exist(Session session, TenantRef tenant) throws SQLException {
    if (known.contains(tenant.tables())) {
      return true;
    }
    boolean found = exists(session, table.apply(tenant.tables()));
    if (found) {
      known.add(tenant.tables());
    }
    return found;
  }

  /** Whether a table exists. */
  public static boolean exists(Session session, Name table) throws SQLException {
    return session
            .run(
                BoundStatement.query(
                    DiscoverySql.LOOK_FOR_TABLES,
                    row -> row.getLong(1),
                    table.qualifier().last(),
                    table.last()))
            .get(0)
        != 0;
  }

  /**
   * Creates the tables. Two processes may do it at once; the lock on the tenant's row serializes
   * them.
   */
  private boolean make(Session session, TenantRef tenant) throws SQLException {
    session.run(RoleSql.actAsKeeper(rota));
    TenantEditor.lock(session, rota, tenant);
    if (!exist(session, tenant)) {
      session.execute("make feature tables", ddl.apply(tenant.tables()));
    }
    return true;
  }
}
