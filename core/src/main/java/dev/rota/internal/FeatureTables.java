package dev.rota.internal;

import dev.rota.internal.db.Call;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.DiscoverySql;
import dev.rota.internal.db.Errors;
import dev.rota.internal.db.RoleSql;
import dev.rota.internal.db.RotaTables;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.TenantTables;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jooq.Name;

/**
 * Tables of one feature, which a tenant gets when it first uses it: made in a transaction of Rota's
 * own, never in one of a caller. They are not dropped before the tenant is, so that what is known
 * stays true. Thread-safe.
 */
final class FeatureTables {

  private final Database database;
  private final RotaTables rota;
  private final String feature;
  private final Function<TenantTables, Name> table;
  private final Function<TenantTables, List<String>> ddl;
  private final Set<TenantTables> known = ConcurrentHashMap.newKeySet();

  /**
   * For one feature.
   *
   * @param feature what messages call it
   * @param table the table that tells whether the feature's tables are there
   * @param ddl makes all of them
   */
  FeatureTables(
      Database database,
      RotaTables rota,
      String feature,
      Function<TenantTables, Name> table,
      Function<TenantTables, List<String>> ddl) {
    this.database = database;
    this.rota = rota;
    this.feature = feature;
    this.table = table;
    this.ddl = ddl;
  }

  /** Makes them if they are not there, on a connection of Rota's own. */
  void ensure(TenantHandle tenant) {
    if (known.contains(tenant.tables())) {
      return;
    }
    String purpose = "make the tables for " + feature + " of " + tenant.label();
    try {
      if (!database.tryTransaction(purpose, session -> exist(session, tenant))) {
        database.tryTransaction(purpose, session -> make(session, tenant));
      }
    } catch (SQLException e) {
      throw Errors.translate(
          Errors.isForbidden(e)
              ? purpose + " (the owner of the tenant's tables must use the feature first)"
              : purpose,
          e);
    }
    known.add(tenant.tables());
  }

  /** Whether they are there, asked on the caller's connection. */
  boolean exist(Session session, TenantHandle tenant) throws SQLException {
    if (known.contains(tenant.tables())) {
      return true;
    }
    boolean found = exists(session, table.apply(tenant.tables()));
    if (found) {
      known.add(tenant.tables());
    }
    return found;
  }

  /** Whether a table is there. */
  static boolean exists(Session session, Name table) throws SQLException {
    return session
            .run(
                Call.query(
                    DiscoverySql.LOOK_FOR_TABLES,
                    row -> row.getLong(1),
                    table.qualifier().last(),
                    table.last()))
            .get(0)
        != 0;
  }

  /** Two processes may do it at once: the tenant's row lets one of them wait. */
  private boolean make(Session session, TenantHandle tenant) throws SQLException {
    session.run(RoleSql.actAsKeeper(rota));
    RegistryEditor.lock(session, rota, tenant);
    if (!exist(session, tenant)) {
      session.execute("make feature tables", ddl.apply(tenant.tables()));
    }
    return true;
  }
}
