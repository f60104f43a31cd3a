package dev.rota.internal.tenant;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.schema.DiscoverySql;
import dev.rota.internal.schema.RoleSql;
import dev.rota.internal.sql.TenantTables;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jooq.Name;

/**
 * Creates the tables of one feature when a tenant first uses it, in a transaction of Rota's own,
 * never in one of a caller. They exist as long as the other tables of the tenant, so that a
 * positive answer stays true for one edition of these in one history of the server. Thread-safe.
 */
public final class LazyTables {

  private final TablesOnDemand others;
  private final String feature;
  private final Function<TenantTables, Name> table;
  private final Function<TenantTables, List<String>> ddl;
  // The edition of each tenant's tables for which they exist.
  private final Map<TenantTables, Integer> known = new ConcurrentHashMap<>();

  /**
   * Creates the tables of one feature.
   *
   * @param others makes the other tables of the tenant, which come first
   * @param feature its name in messages
   * @param table the table whose existence shows that the feature's tables exist
   * @param ddl generates the statements for all of them
   */
  public LazyTables(
      TablesOnDemand others,
      String feature,
      Function<TenantTables, Name> table,
      Function<TenantTables, List<String>> ddl) {
    this.others = others;
    this.feature = feature;
    this.table = table;
    this.ddl = ddl;
    others.database().history().onChange(known::clear);
  }

  /** Creates the tables if they are missing, on a connection of Rota's own. */
  public void ensure(TenantRef tenant) {
    others.ensure(tenant);
    ensureOwn(tenant);
  }

  /** Creates the tables if they are missing, for a caller that is in a transaction. */
  public void ensure(Session callers, TenantRef tenant) throws SQLException {
    others.ensure(callers, tenant);
    ensureOwn(tenant);
  }

  private void ensureOwn(TenantRef tenant) {
    int edition = editionOf(tenant);
    if (isKnown(tenant, edition)) {
      return;
    }
    Database database = others.database();
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
    known.put(tenant.tables(), edition);
  }

  /** The edition that a lookup proves at least; it is read before. */
  private static int editionOf(TenantRef tenant) {
    return tenant.state().relations().edition();
  }

  private boolean isKnown(TenantRef tenant, int edition) {
    return Objects.equals(known.get(tenant.tables()), edition);
  }

  /** Whether the tables exist, checked on the caller's connection. */
  public boolean exist(Session session, TenantRef tenant) throws SQLException {
    int edition = editionOf(tenant);
    if (isKnown(tenant, edition)) {
      return true;
    }
    boolean found = exists(session, table.apply(tenant.tables()));
    if (found) {
      known.put(tenant.tables(), edition);
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
    session.run(RoleSql.actAsKeeper(others.rota()));
    TenantEditor.lock(session, others.rota(), tenant);
    TablesOnDemand.make(session, others.rota(), tenant);
    if (!exist(session, tenant)) {
      session.execute("make feature tables", ddl.apply(tenant.tables()));
    }
    return true;
  }
}
