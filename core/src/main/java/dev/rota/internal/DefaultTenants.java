package dev.rota.internal;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import dev.rota.Tenant;
import dev.rota.TenantExistsException;
import dev.rota.TenantInfo;
import dev.rota.Tenants;
import dev.rota.UnknownTenantException;
import dev.rota.history.internal.RetentionPolicies;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.db.TransactionBody;
import dev.rota.internal.schema.RoleSql;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantEditor;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.internal.text.SafeText;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jooq.Field;

/** Default implementation of {@link Tenants}. */
final class DefaultTenants implements Tenants {

  private static final String UNIQUE_VIOLATION = "23505";
  private static final Field<OffsetDateTime> CREATED_AT =
      field(name("created_at"), OffsetDateTime.class);

  /**
   * The number of tenants in one transaction. Other processes wait for the names of an open one.
   */
  private static final int TOGETHER = 1_000;

  private final Runnable ensureOpen;
  private final Database database;
  private final TenantRegistry registry;
  private final Function<TenantRef, Tenant> views;
  private final TenantEditor editor;

  /**
   * Creates the registry of one Rota.
   *
   * @param ensureOpen refuses work after the end of the Rota
   * @param views create the tenants that users get
   */
  DefaultTenants(
      Runnable ensureOpen,
      Database database,
      TenantRegistry registry,
      Function<TenantRef, Tenant> views) {
    this.ensureOpen = ensureOpen;
    this.database = database;
    this.registry = registry;
    this.views = views;
    this.editor = new TenantEditor(registry.tables());
  }

  @Override
  public Tenant register(String tenant) {
    return registerAll(List.of(tenant)).get(0);
  }

  @Override
  public List<Tenant> registerAll(Collection<String> names) {
    names.forEach(TaskValidator::checkName);
    ensureOpen.run();
    Set<String> missing = new TreeSet<>(names);
    missing.removeAll(registry.findAll(missing).keySet());
    // In one order everywhere, or two processes could wait for each other.
    List<String> ordered = List.copyOf(missing);
    for (int from = 0; from < ordered.size(); from += TOGETHER) {
      register(ordered.subList(from, Math.min(from + TOGETHER, ordered.size())));
    }
    Map<String, TenantRef> registered = registry.findAll(new HashSet<>(names));
    return names.stream().map(name -> views.apply(present(registered, name))).toList();
  }

  /** A tenant that was registered; another process may have renamed it already. */
  private static TenantRef present(Map<String, TenantRef> registered, String name) {
    TenantRef tenant = registered.get(name);
    if (tenant == null) {
      throw unknown(name);
    }
    return tenant;
  }

  @Override
  public Tenant get(String tenant) {
    return find(tenant).orElseThrow(() -> unknown(tenant));
  }

  @Override
  public Optional<Tenant> find(String tenant) {
    ensureOpen.run();
    // The driver would look for another name, with a question mark in it.
    return TaskValidator.indexOfUnstorable(tenant) >= 0
        ? Optional.empty()
        : registry.find(tenant).map(views);
  }

  @Override
  public List<TenantInfo> list() {
    return change(
        "list the tenants",
        session ->
            session
                .dsl()
                .select(
                    TenantRegistry.NUMBER, TenantRegistry.NAME, TenantRegistry.CLOSED, CREATED_AT)
                .select(RetentionPolicies.COLUMNS)
                .from(table(registry.tables().tenants()))
                .orderBy(TenantRegistry.NUMBER)
                .fetch(
                    row ->
                        new TenantInfo(
                            row.get(TenantRegistry.NUMBER),
                            row.get(TenantRegistry.NAME),
                            row.get(TenantRegistry.CLOSED),
                            row.get(CREATED_AT).toInstant(),
                            RetentionPolicies.policy(row))));
  }

  @Override
  public Tenant rename(String tenant, String newName) {
    TaskValidator.checkName(newName);
    refuseImpossible(tenant);
    boolean renamed =
        change("rename " + named(tenant), session -> editor.rename(session, tenant, newName));
    if (!renamed) {
      throw unknown(tenant);
    }
    registry.changed(tenant);
    return get(newName);
  }

  @Override
  public void close(String tenant) {
    setClosed(tenant, true);
  }

  @Override
  public Tenant reopen(String tenant) {
    setClosed(tenant, false);
    return get(tenant);
  }

  private void setClosed(String tenant, boolean closed) {
    refuseImpossible(tenant);
    boolean found =
        change(
            (closed ? "close " : "reopen ") + named(tenant),
            session -> editor.setClosed(session, tenant, closed));
    if (!found) {
      throw unknown(tenant);
    }
    registry.changed(tenant);
  }

  private void register(List<String> names) {
    change(
        "register " + (names.size() == 1 ? named(names.get(0)) : names.size() + " tenants"),
        session -> {
          session.prepend(RoleSql.actAsKeeper(registry.tables()));
          editor.register(session, names);
          return names.size();
        });
  }

  private <T> T change(String purpose, TransactionBody<T> body) {
    ensureOpen.run();
    try {
      return database.tryTransaction(purpose, body);
    } catch (SQLException e) {
      if (UNIQUE_VIOLATION.equals(e.getSQLState())) {
        throw new TenantExistsException(purpose + ": another process took that name just now");
      }
      if (SqlErrors.isMissingRegistry(e)) {
        throw SqlErrors.schemaMissing(registry.tables().schema());
      }
      throw SqlErrors.translate(purpose, e);
    }
  }

  private static void refuseImpossible(String tenant) {
    if (TaskValidator.indexOfUnstorable(tenant) >= 0) {
      throw unknown(tenant);
    }
  }

  private static String named(String tenant) {
    return "tenant '" + SafeText.of(tenant) + "'";
  }

  private static UnknownTenantException unknown(String tenant) {
    return new UnknownTenantException(
        "no tenant is named '"
            + SafeText.of(tenant)
            + "'; register it with Tenants.register(name)");
  }
}
