package dev.rota.admin.internal;

import dev.rota.DatabaseException;
import dev.rota.UnknownTenantException;
import dev.rota.admin.Roles;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.LockRetry;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.NamePatterns;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantEditor;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.internal.text.SafeText;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Transfers the tables of existing tenants to the role that maintains them, and grants the other
 * roles their use. It uses one transaction for each tenant, and only where something is missing.
 *
 * <p>A role that may create schemas can take the name of a tenant's schema first. Its functions
 * would run with the rights of the new owner. So the transfer leaves a tenant alone that has an
 * object of a role which may not register tenants.
 */
final class TenantHandover {

  private static final Sql SCHEMAS_OF_TENANTS = Sql.named("schemas_of_tenants");
  private static final Sql TRUSTED_OWNERS = Sql.named("trusted_owners");

  private static final Logger log = Logs.of(TenantHandover.class);

  private final Database database;
  private final TenantRegistry registry;
  private final Roles roles;
  private final NamePatterns names;
  private final LockRetry change;
  private final Set<String> trusted;
  private final List<Refusal> refusals = new ArrayList<>();

  /**
   * A statement that a tenant's schema needs.
   *
   * @param owner the present owner, if the statement changes it
   */
  private record Need(String statement, String schema, @Nullable String owner) {

    private boolean isForeign(Set<String> trusted) {
      return owner != null && !trusted.contains(owner);
    }
  }

  /** A tenant that was left alone, and the first reason. */
  private record Refusal(TenantRef tenant, Need reason) {}

  private TenantHandover(
      Database database, TenantRegistry registry, Roles roles, Set<String> trusted) {
    this.database = database;
    this.registry = registry;
    this.roles = roles;
    this.names = new NamePatterns(registry.tables());
    this.change =
        new LockRetry(database, "them", "end long transactions that use them, and migrate again");
    this.trusted = trusted;
  }

  /** Creates a transfer of what roles have made that may register tenants at present. */
  static TenantHandover trustingPresentOwners(
      Database database, TenantRegistry registry, Roles roles) {
    String[] known = {roles.owner(), roles.daemon()};
    List<String> trusted =
        database.transaction(
            "look for owners of tables",
            session ->
                session.run(
                    BoundStatement.query(
                        TRUSTED_OWNERS,
                        row -> row.getString(1),
                        known,
                        registry.tables().tenantsSql())));
    return new TenantHandover(database, registry, roles, Set.copyOf(trusted));
  }

  /** Transfers the tables of all tenants that have no objects of other roles. */
  void run() {
    refusals.clear();
    database
        .transaction("look for tenants to hand over", this::outstanding)
        .forEach(this::handOver);
  }

  /**
   * Reports the tenants that the last run left alone.
   *
   * @throws DatabaseException if there are some
   */
  void requireComplete() {
    if (refusals.isEmpty()) {
      return;
    }
    Refusal first = refusals.get(0);
    String owner = String.valueOf(first.reason().owner());
    String problem =
        "hand over the tables of "
            + first.tenant().label()
            + ": role "
            + owner
            + " may not register tenants, but owns an object that the statement below names";
    throw new DatabaseException(
        SafeText.whole(
            problem
                + "; Rota left "
                + refusals.size()
                + " such tenants alone; drop or rename the object if it is not of Rota; if "
                + owner
                + " made it for Rota, run \""
                + first.reason().statement()
                + "\"; then migrate again"),
        new IllegalStateException(problem),
        false,
        false);
  }

  /** The numbers of registered tenants that lack something; other schemas may be named alike. */
  private List<Integer> outstanding(Session session) throws SQLException {
    Map<String, Integer> numbers = new HashMap<>();
    session
        .run(
            BoundStatement.query(
                SCHEMAS_OF_TENANTS.call(),
                SCHEMAS_OF_TENANTS.on("tenants", registry.tables().tenants()),
                row -> Map.entry(row.getString(1), row.getInt(2)),
                registry.tables().schema()))
        .forEach(schema -> numbers.put(schema.getKey(), schema.getValue()));
    return needs(session, names.tenantSchemas()).stream()
        .map(need -> numbers.get(need.schema()))
        .filter(Objects::nonNull)
        .distinct()
        .sorted()
        .toList();
  }

  private void handOver(int number) {
    try {
      handOver(registry.get(number));
    } catch (UnknownTenantException e) {
      log.debug("a tenant was erased before its tables were handed over", e);
    }
  }

  private void handOver(TenantRef tenant) {
    String purpose = "hand over the tables of " + tenant.label();
    try {
      Optional<Need> reason = change.make(purpose, session -> handOver(session, tenant));
      reason.ifPresent(need -> refusals.add(new Refusal(tenant, need)));
    } catch (SQLException e) {
      throw SqlErrors.translate(purpose, e);
    }
  }

  /**
   * Hands over one tenant. The lock on its row keeps the daemon from adding tables meanwhile.
   *
   * @return a change of an owner that is not trusted, for which nothing was done
   */
  private Optional<Need> handOver(Session session, TenantRef tenant) throws SQLException {
    TenantEditor.lock(session, registry.tables(), tenant);
    List<Need> needs = needs(session, names.tenantSchema(tenant.number()));
    Optional<Need> foreign = needs.stream().filter(need -> need.isForeign(trusted)).findFirst();
    if (foreign.isEmpty() && !needs.isEmpty()) {
      session.execute("hand over", needs.stream().map(Need::statement).toList());
    }
    return foreign;
  }

  private List<Need> needs(Session session, String schemas) throws SQLException {
    String tables = names.tenantTables();
    List<Need> needs = new ArrayList<>();
    needs.addAll(lookAtOwners(session, RoleSetup.OWNERS_OF_SCHEMAS, schemas));
    needs.addAll(lookAtOwners(session, RoleSetup.OWNERS_OF_TABLES, schemas, tables));
    String functions = NamePatterns.functionsOfTenants();
    needs.addAll(lookAtOwners(session, RoleSetup.OWNERS_OF_FUNCTIONS, schemas, functions));
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

  private List<Need> lookAtOwners(Session session, Sql look, String... patterns)
      throws SQLException {
    Object[] binds = Stream.concat(Stream.of(roles.daemon()), Stream.of(patterns)).toArray();
    return session.run(
        BoundStatement.query(
            look.call(),
            look.text(),
            row -> new Need(row.getString(1), row.getString(2), row.getString(3)),
            binds));
  }

  private static List<Need> look(Session session, Sql look, @Nullable Object... binds)
      throws SQLException {
    return session.run(
        BoundStatement.query(
            look.call(),
            look.text(),
            row -> new Need(row.getString(1), row.getString(2), null),
            binds));
  }
}
