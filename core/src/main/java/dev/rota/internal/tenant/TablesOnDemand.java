package dev.rota.internal.tenant;

import dev.rota.RotaException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.LockRetry;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Set;

/**
 * Makes the tables of a parked tenant before its first task, in a transaction of Rota's own, never
 * in one of a caller. Thread-safe.
 *
 * <p>The daemon announces minutes before it drops the tables of an idle tenant. A caller that
 * ensures them in between takes the announcement back, so that they last for its transaction. What
 * is known of a tenant for longer than {@link TenantRef#FRESH} is read again for this reason.
 */
public final class TablesOnDemand {

  private static final Sql MAKE_TABLES = Sql.named("make_tables");

  /**
   * As much as so many definitions remains in the memory of a backend that makes the tables of a
   * tenant: 49 kB, measured with a thousand tenants.
   */
  private static final int DEFINITIONS = 38;

  /** No such object, function, schema, table. */
  private static final Set<String> GONE = Set.of("42704", "42883", "3F000", "42P01");

  private final Database database;
  private final TenantRegistry registry;
  private final LockRetry change;
  private final TableLooks looks = new TableLooks(this::ensure);

  /** Creates the maker for the tenants of one registry. */
  public TablesOnDemand(Database database, TenantRegistry registry) {
    this.database = database;
    this.registry = registry;
    this.change =
        new LockRetry(
            database,
            "the tenant",
            "end transactions that called rota.enqueue for it, and try again");
  }

  /** Work that fails if a table is missing, and may be repeated. */
  @FunctionalInterface
  public interface Work<T> {
    T run() throws SQLException;
  }

  Database database() {
    return database;
  }

  RegistryTables rota() {
    return registry.tables();
  }

  /** Makes the tables if the tenant has none, and is not closed; they last for minutes at least. */
  public void ensure(TenantRef tenant) {
    if (!tenant.isFresh()) {
      registry.confirm(tenant);
    }
    if (!tenant.isReady() && !tenant.state().closed()) {
      make(tenant);
    }
  }

  /**
   * Makes the tables as {@link #ensure(TenantRef)} does, for a caller that is in a transaction. It
   * may hold the only free connection of the pool: after a while this goes on in its transaction.
   */
  public void ensure(Session callers, TenantRef tenant) throws SQLException {
    if (!tenant.isReady() && !looks.ensured(tenant)) {
      registry.confirm(callers, tenant);
      if (!tenant.isReady() && !tenant.state().closed()) {
        make(callers, rota(), tenant);
        registry.confirm(callers, tenant);
      }
    }
  }

  /**
   * Makes the tables if that takes little time, before the work of another thread that ensures
   * them. That thread serves other tenants too, and must not wait for the tables of this one.
   */
  public void anticipate(TenantRef tenant) {
    if (!tenant.isReady()) {
      boolean unused = looks.ensured(tenant);
    }
  }

  /**
   * Repeats work of Rota's own transactions that failed, if a table was missing because a tenant
   * was parked. Its tables are made before.
   */
  public <T> T again(
      String purpose, Collection<TenantRef> tenants, SQLException failure, Work<T> work) {
    try {
      if (!SqlErrors.isMissingTable(failure) || !anyMadeAgain(tenants)) {
        throw failure;
      }
      return work.run();
    } catch (SQLException e) {
      throw SqlErrors.translate(purpose, e);
    }
  }

  private boolean anyMadeAgain(Collection<TenantRef> tenants) {
    boolean any = false;
    for (TenantRef tenant : tenants) {
      any |= madeAgain(tenant);
    }
    return any;
  }

  /** Whether the tenant still exists. If it had no tables, it has some then. */
  private boolean madeAgain(TenantRef tenant) {
    try {
      registry.confirm(tenant);
      ensure(tenant);
      return true;
    } catch (RotaException e) {
      return false;
    }
  }

  /** Makes the tables in this transaction, which may not be one of a caller. */
  public static void make(Session session, RegistryTables rota, TenantRef tenant)
      throws SQLException {
    make(session, rota, tenant.number());
  }

  /**
   * Makes the tables of the tenant with a number; see {@link #make(Session, RegistryTables,
   * TenantRef)}.
   */
  public static void make(Session session, RegistryTables rota, int tenant) throws SQLException {
    session.defines(DEFINITIONS);
    session.run(
        BoundStatement.query(
            MAKE_TABLES.call(),
            MAKE_TABLES.on("open_tenant", rota.openTenant()),
            row -> true,
            tenant));
  }

  private void make(TenantRef tenant) {
    String purpose = "make the tables of " + tenant.label();
    try {
      change.make(
          purpose,
          session -> {
            make(session, rota(), tenant);
            return true;
          });
    } catch (SQLException e) {
      if (GONE.contains(String.valueOf(e.getSQLState()))) {
        // Says so if the tenant was erased.
        registry.confirm(tenant);
      }
      throw SqlErrors.translate(
          SqlErrors.isForbidden(e)
              ? purpose + " (grant EXECUTE on " + Sql.render(rota().openTenant()) + ")"
              : purpose,
          e);
    }
    registry.confirm(tenant);
  }
}
