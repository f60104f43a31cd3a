package dev.rota.internal.tenant;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import dev.rota.TenantExistsException;
import dev.rota.UnknownTenantException;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.TenantDdl;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.text.SafeText;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/** Changes tenants in the registry, each together with its tables. */
public final class TenantEditor {

  private static final Field<String> FORMER_NAME = field(name("former_name"), String.class);
  private static final Field<OffsetDateTime> RENAMED_AT =
      field(name("renamed_at"), OffsetDateTime.class);
  private static final Field<OffsetDateTime> FINISHED_AT =
      field(name("finished_at"), OffsetDateTime.class);
  private static final Field<OffsetDateTime> NOW = field("now()", OffsetDateTime.class);
  private static final Field<OffsetDateTime> A_MINUTE_AGO =
      field("now() - interval '1 minute'", OffsetDateTime.class);
  private static final int FIRST_SEGMENT = 1;

  private final RegistryTables rota;
  private final TenantDdl ddl;

  /** Creates the editor of one registry. */
  public TenantEditor(RegistryTables rota) {
    this.rota = rota;
    this.ddl = new TenantDdl(rota);
  }

  /** Registers a name that has no tenant yet; waits for a process that is doing the same. */
  public void register(Session session, String tenant) throws SQLException {
    DSLContext dsl = session.dsl();
    if (exists(dsl, tenant)) {
      return;
    }
    refuseFreshlyFreed(dsl, tenant);
    refuseFreshlyErased(dsl, tenant);
    Integer number =
        dsl.insertInto(table(rota.tenants()), TenantRegistry.NAME)
            .values(tenant)
            .onConflict()
            .doNothing()
            .returningResult(TenantRegistry.NUMBER)
            .fetchOne(TenantRegistry.NUMBER);
    if (number != null) {
      createTables(session, number);
    }
  }

  /**
   * Checks that a new tenant can get the name.
   *
   * @throws dev.rota.InvalidNameException if it is not a valid name
   * @throws TenantExistsException if a tenant has it, or had it a moment ago
   */
  public void requireFree(Session session, String tenant) throws SQLException {
    TaskValidator.checkName(tenant);
    DSLContext dsl = session.dsl();
    if (exists(dsl, tenant)) {
      throw new TenantExistsException(
          "tenant '" + SafeText.whole(tenant) + "' exists already; choose another name");
    }
    refuseFreshlyFreed(dsl, tenant);
    refuseFreshlyErased(dsl, tenant);
  }

  /** Renames a tenant; returns false if no tenant has that name. */
  public boolean rename(Session session, String tenant, String newName) throws SQLException {
    DSLContext dsl = session.dsl();
    if (exists(dsl, newName)) {
      throw new TenantExistsException(
          "tenant '"
              + SafeText.whole(newName)
              + "' exists already; choose another name for '"
              + SafeText.whole(tenant)
              + "'");
    }
    refuseFreshlyFreed(dsl, newName);
    refuseFreshlyErased(dsl, newName);
    return dsl.update(table(rota.tenants()))
            .set(TenantRegistry.NAME, newName)
            .set(FORMER_NAME, tenant)
            .set(RENAMED_AT, NOW)
            .where(TenantRegistry.NAME.eq(tenant))
            .execute()
        == 1;
  }

  /** Closes or reopens a tenant; returns false if no tenant has that name. */
  public boolean setClosed(Session session, String tenant, boolean closed) throws SQLException {
    return session
            .dsl()
            .update(table(rota.tenants()))
            .set(TenantRegistry.CLOSED, closed)
            .where(TenantRegistry.NAME.eq(tenant))
            .execute()
        == 1;
  }

  /** Locks the tenant's row, so that other processes wait before they change its objects. */
  public static void lock(Session session, RegistryTables tables, TenantRef tenant)
      throws SQLException {
    boolean gone =
        session
            .dsl()
            .select(TenantRegistry.NUMBER)
            .from(table(tables.tenants()))
            .where(TenantRegistry.NUMBER.eq(tenant.number()))
            .forNoKeyUpdate()
            .fetch()
            .isEmpty();
    if (gone) {
      throw new UnknownTenantException(tenant.label() + " is no longer in the registry");
    }
  }

  private void createTables(Session session, int number) throws SQLException {
    TenantTables tables = rota.tenant(number);
    session.execute("create tenant", ddl.createTenant(tables, FIRST_SEGMENT));
    session
        .dsl()
        .insertInto(
            table(rota.segments()),
            field(name("tenant"), Integer.class),
            field(name("seq"), Integer.class))
        .values(number, FIRST_SEGMENT)
        .execute();
  }

  private boolean exists(DSLContext dsl, String tenant) {
    return dsl.fetchExists(table(rota.tenants()), TenantRegistry.NAME.eq(tenant));
  }

  /**
   * Refuses the name of an unfinished or recent erasure. The name selects the erasure to continue;
   * {@link #refuseFreshlyFreed} explains the rest.
   */
  private void refuseFreshlyErased(DSLContext dsl, String tenant) {
    boolean fresh =
        dsl.fetchExists(
            table(rota.erasures()),
            TenantRegistry.NAME.eq(tenant),
            FINISHED_AT.isNull().or(FINISHED_AT.gt(A_MINUTE_AGO)));
    if (fresh) {
      throw new TenantExistsException(
          "tenant '"
              + SafeText.whole(tenant)
              + "' is being erased, or was less than a minute ago; finish that, and try again when"
              + " all processes know");
    }
  }

  /**
   * Refuses a name that was freed a moment ago: another process may still resolve it to the tenant
   * that had it.
   */
  private void refuseFreshlyFreed(DSLContext dsl, String tenant) {
    @Nullable String renamed =
        dsl.select(TenantRegistry.NAME)
            .from(table(rota.tenants()))
            .where(FORMER_NAME.eq(tenant), RENAMED_AT.gt(A_MINUTE_AGO))
            .limit(inline(1))
            .fetchOne(TenantRegistry.NAME);
    if (renamed != null) {
      throw new TenantExistsException(
          "'"
              + SafeText.whole(tenant)
              + "' was the name of '"
              + SafeText.whole(renamed)
              + "' until less than a minute ago; try again when all processes know the new name");
    }
  }
}
