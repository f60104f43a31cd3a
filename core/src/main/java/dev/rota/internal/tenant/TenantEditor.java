package dev.rota.internal.tenant;

import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.unnest;

import dev.rota.TenantExistsException;
import dev.rota.UnknownTenantException;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.text.SafeText;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record2;

/** Changes tenants in the registry. */
public final class TenantEditor {

  private static final Field<String> FORMER_NAME = field(name("former_name"), String.class);
  private static final Field<OffsetDateTime> RENAMED_AT =
      field(name("renamed_at"), OffsetDateTime.class);
  private static final Field<OffsetDateTime> FINISHED_AT =
      field(name("finished_at"), OffsetDateTime.class);
  private static final Field<OffsetDateTime> NOW = field("now()", OffsetDateTime.class);
  private static final Field<OffsetDateTime> A_MINUTE_AGO =
      field("now() - interval '1 minute'", OffsetDateTime.class);

  private static final Field<String> NEW_NAME = field(name("new_name"), String.class);
  private static final Field<String> SCHEMA = field(name("nspname"), String.class);
  private static final String DUPLICATE_SCHEMA = "42P06";

  private final RegistryTables rota;

  /** Creates the editor of one registry. */
  public TenantEditor(RegistryTables rota) {
    this.rota = rota;
  }

  /**
   * Registers the names that have no tenant yet; waits for processes that are doing the same.
   *
   * @param names in an order that all processes use
   */
  public void register(Session session, List<String> names) throws SQLException {
    DSLContext dsl = session.dsl();
    List<String> missing = new ArrayList<>(names);
    missing.removeAll(taken(dsl, names));
    if (missing.isEmpty()) {
      return;
    }
    refuseFreshlyFreed(dsl, missing);
    refuseFreshlyErased(dsl, missing);
    refuseForeignSchemas(dsl, insert(dsl, missing));
  }

  private Set<String> taken(DSLContext dsl, List<String> names) {
    return dsl.select(TenantRegistry.NAME)
        .from(table(rota.tenants()))
        .where(TenantRegistry.isNamed(names))
        .fetchSet(TenantRegistry.NAME);
  }

  /** Inserts the names that no other process has inserted; returns their numbers. */
  private List<Integer> insert(DSLContext dsl, List<String> names) {
    return dsl.insertInto(table(rota.tenants()), TenantRegistry.NAME, TenantRegistry.PARKED_AT)
        .select(
            select(NEW_NAME, NOW)
                .from(unnest(names.toArray(String[]::new)).as("new", NEW_NAME.getName())))
        .onConflict()
        .doNothing()
        .returningResult(TenantRegistry.NUMBER)
        .fetch(TenantRegistry.NUMBER);
  }

  /**
   * Refuses numbers whose schema is there: it belongs to another program, and the first task or an
   * erasure of the tenant would meet it.
   */
  private void refuseForeignSchemas(DSLContext dsl, List<Integer> numbers) throws SQLException {
    String[] schemas =
        numbers.stream().map(number -> rota.tenant(number).schema().last()).toArray(String[]::new);
    String found =
        dsl.select(SCHEMA)
            .from(table(name("pg_catalog", "pg_namespace")))
            .where(SCHEMA.eq(any(schemas)))
            .limit(inline(1))
            .fetchOne(SCHEMA);
    if (found != null) {
      throw new SQLException(
          "schema \"" + found + "\" already exists; rename or drop it, or try again",
          DUPLICATE_SCHEMA);
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
    refuseFreshlyFreed(dsl, List.of(tenant));
    refuseFreshlyErased(dsl, List.of(tenant));
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
    refuseFreshlyFreed(dsl, List.of(newName));
    refuseFreshlyErased(dsl, List.of(newName));
    return dsl.update(table(rota.tenants()))
            .set(TenantRegistry.NAME, newName)
            .set(FORMER_NAME, tenant)
            .set(RENAMED_AT, NOW)
            .where(TenantRegistry.isNamed(tenant))
            .execute()
        == 1;
  }

  /** Closes or reopens a tenant; returns false if no tenant has that name. */
  public boolean setClosed(Session session, String tenant, boolean closed) throws SQLException {
    return session
            .dsl()
            .update(table(rota.tenants()))
            .set(TenantRegistry.CLOSED, closed)
            .where(TenantRegistry.isNamed(tenant))
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

  private boolean exists(DSLContext dsl, String tenant) {
    return dsl.fetchExists(table(rota.tenants()), TenantRegistry.isNamed(tenant));
  }

  /**
   * Refuses the name of an unfinished or recent erasure. The name selects the erasure to continue;
   * {@link #refuseFreshlyFreed} explains the rest.
   */
  private void refuseFreshlyErased(DSLContext dsl, List<String> names) {
    String erased =
        dsl.select(TenantRegistry.NAME)
            .from(table(rota.erasures()))
            .where(
                TenantRegistry.isNamed(names),
                FINISHED_AT.isNull().or(FINISHED_AT.gt(A_MINUTE_AGO)))
            .limit(inline(1))
            .fetchOne(TenantRegistry.NAME);
    if (erased != null) {
      throw new TenantExistsException(
          "tenant '"
              + SafeText.whole(erased)
              + "' is being erased, or was less than a minute ago; finish that, and try again when"
              + " all processes know");
    }
  }

  /**
   * Refuses a name that was freed a moment ago: another process may still resolve it to the tenant
   * that had it.
   */
  private void refuseFreshlyFreed(DSLContext dsl, List<String> names) {
    Record2<String, String> renamed =
        dsl.select(FORMER_NAME, TenantRegistry.NAME)
            .from(table(rota.tenants()))
            .where(
                TenantRegistry.inIndex(FORMER_NAME).eq(any(names.toArray(String[]::new))),
                RENAMED_AT.gt(A_MINUTE_AGO))
            .limit(inline(1))
            .fetchOne();
    if (renamed != null) {
      throw new TenantExistsException(
          "'"
              + SafeText.whole(renamed.value1())
              + "' was the name of '"
              + SafeText.whole(renamed.value2())
              + "' until less than a minute ago; try again when all processes know the new name");
    }
  }
}
