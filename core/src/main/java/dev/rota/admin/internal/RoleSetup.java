package dev.rota.admin.internal;

import dev.rota.DatabaseException;
import dev.rota.admin.Roles;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.db.TransactionBody;
import dev.rota.internal.schema.NamePatterns;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.RoleSql;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Creates the roles, transfers Rota's objects to them, and grants each the rights of its part. It
 * looks up everything first and changes only what is missing, so that a repetition is cheap and
 * completes an interrupted run.
 */
final class RoleSetup {

  private static final Sql LOOK_FOR_ROLES = Sql.named("look_for_roles");
  private static final Sql CREATE_ROLE = Sql.named("create_role");
  private static final Sql GRANT_MEMBERSHIP = Sql.named("grant_membership");
  private static final Sql GRANT_OWN_MEMBERSHIP = Sql.named("grant_own_membership");
  private static final Sql GRANTS_ON_DATABASE = Sql.named("grants_on_database");
  static final Sql OWNERS_OF_SCHEMAS = Sql.named("owners_of_schemas");
  static final Sql OWNERS_OF_TABLES = Sql.named("owners_of_tables");
  static final Sql OWNERS_OF_FUNCTIONS = Sql.named("owners_of_functions");
  static final Sql GRANTS_ON_SCHEMAS = Sql.named("grants_on_schemas");
  static final Sql GRANTS_ON_TABLES = Sql.named("grants_on_tables");
  private static final Sql GRANTS_ON_PLANS = Sql.named("grants_on_plans");
  private static final Sql GRANTS_ON_SEQUENCES = Sql.named("grants_on_sequences");
  static final Sql GRANTS_ON_FUNCTIONS = Sql.named("grants_on_functions");
  private static final Sql DEFAULT_FUNCTIONS_NOT_PUBLIC = Sql.named("default_functions_not_public");
  private static final Sql DEFAULT_CALLING_OF_FUNCTIONS = Sql.named("default_calling_of_functions");
  private static final Sql DEFAULT_USAGE_OF_SCHEMAS = Sql.named("default_usage_of_schemas");
  private static final Sql DEFAULT_WRITING_OF_TABLES = Sql.named("default_writing_of_tables");
  private static final Sql DEFAULT_READING_OF_TABLES = Sql.named("default_reading_of_tables");

  static final List<String> CHANGES = List.of("select", "insert", "update", "delete");

  /** The number of arguments of the registry's function that takes a time, a priority and a key. */
  private static final int ALL_ARGUMENTS = 6;

  private final Database database;
  private final TransactionBody.Action lockOut;
  private final Roles roles;
  private final NamePatterns names;

  /**
   * Creates the setup of one Rota.
   *
   * @param lockOut blocks concurrent migrations until the end of a transaction
   */
  RoleSetup(Database database, RegistryTables tables, Roles roles, TransactionBody.Action lockOut) {
    this.database = database;
    this.lockOut = lockOut;
    this.roles = roles;
    this.names = new NamePatterns(tables);
  }

  /**
   * Creates the roles before the schema, since the schema's owner needs a right on the database.
   */
  void makeRoles() {
    run("make the roles", this::makeRoles);
  }

  /** Transfers the existing objects after the schema was created. */
  void handOver() {
    run("hand the registry over to role " + roles.owner(), this::handOverRegistry);
    run("hand the ledger over to role " + roles.daemon(), this::handOverLedger);
    run("grant the registry to the roles", this::grantRegistry);
    run("set default privileges of the roles", this::setDefaults);
  }

  private void run(String purpose, TransactionBody.Action action) {
    try {
      boolean unused =
          database.tryTransaction(
              purpose,
              session -> {
                lockOut.run(session);
                action.run(session);
                return true;
              });
    } catch (SQLException e) {
      throw SqlErrors.isForbidden(e)
          ? new DatabaseException(
              purpose
                  + ": "
                  + SqlErrors.firstLineOf(e)
                  + " (a superuser can, or the owner of the database and of the schema who may"
                  + " create roles)",
              e,
              false,
              false)
          : SqlErrors.translate(purpose, e);
    }
  }

  private void makeRoles(Session session) throws SQLException {
    Set<String> existing = existing(session);
    for (String role : all()) {
      if (!existing.contains(role)) {
        execute(session, CREATE_ROLE.on("role", RoleSql.role(role)));
      }
    }
    statements(session, GRANT_MEMBERSHIP, roles.daemon(), roles.owner());
    statements(session, GRANT_MEMBERSHIP, roles.reader(), roles.operator());
    // A session that changes an owner must be a member of the new owner.
    statements(session, GRANT_OWN_MEMBERSHIP, roles.owner());
    statements(session, GRANT_OWN_MEMBERSHIP, roles.daemon());
    statements(
        session,
        GRANTS_ON_DATABASE,
        (Object)
            new String[] {
              roles.owner(),
              roles.owner(),
              roles.daemon(),
              roles.daemon(),
              roles.application(),
              roles.reader(),
              roles.operator()
            },
        new String[] {"create", "connect", "create", "connect", "connect", "connect", "connect"});
  }

  /** Refuses superusers among the existing roles: a superuser would make all limits void. */
  private Set<String> existing(Session session) throws SQLException {
    List<String> superusers = new ArrayList<>();
    Set<String> existing =
        Set.copyOf(
            session.run(
                BoundStatement.query(
                    LOOK_FOR_ROLES,
                    row -> {
                      if (row.getBoolean(2)) {
                        superusers.add(row.getString(1));
                      }
                      return row.getString(1);
                    },
                    (Object) all().toArray(String[]::new))));
    if (!superusers.isEmpty()) {
      String problem = "role " + superusers.get(0) + " exists and is a superuser";
      throw new DatabaseException(
          problem
              + ", whom no grant limits; choose other names for the roles, or take that right from"
              + " it",
          new IllegalStateException(problem),
          false,
          false);
    }
    return existing;
  }

  private void handOverRegistry(Session session) throws SQLException {
    String schema = names.registrySchema();
    statements(session, OWNERS_OF_SCHEMAS, roles.owner(), schema);
    statements(session, OWNERS_OF_TABLES, roles.owner(), schema, names.registry());
    statements(session, OWNERS_OF_FUNCTIONS, roles.owner(), schema, NamePatterns.functions());
  }

  private void handOverLedger(Session session) throws SQLException {
    String schema = names.registrySchema();
    statements(session, GRANTS_ON_SCHEMAS, roles.daemon(), "usage", schema);
    statements(session, GRANTS_ON_SCHEMAS, roles.daemon(), "create", schema);
    statements(session, OWNERS_OF_TABLES, roles.daemon(), schema, names.ledger());
    // It runs with the rights of its owner, to whom the tables of tenants belong.
    statements(session, OWNERS_OF_FUNCTIONS, roles.daemon(), schema, NamePatterns.opening());
  }

  private void grantRegistry(Session session) throws SQLException {
    String schema = names.registrySchema();
    for (String role : List.of(roles.application(), roles.reader())) {
      statements(session, GRANTS_ON_SCHEMAS, role, "usage", schema);
      grant(session, role, List.of("select"), names.registryTables());
    }
    grant(session, roles.daemon(), CHANGES, names.registryTables());
    grant(session, roles.application(), CHANGES, names.ledger());
    grant(session, roles.reader(), List.of("select"), names.ledger());
    grantRules(session);
    grant(
        session,
        roles.application(),
        CHANGES,
        NamePatterns.anyOf(
            List.of("worker", "schedule", "cancel_request", "budget", "share", "kind_pause")));
    grant(
        session,
        roles.application(),
        List.of("insert", "update"),
        NamePatterns.anyOf(
            List.of(
                "statistic",
                "kind_statistic",
                "error_statistic",
                "tenant_error",
                "set_aside",
                "bucket",
                "audit")));
    grant(
        session,
        roles.application(),
        List.of("insert"),
        NamePatterns.anyOf(List.of("assignment_pool")));
    for (String role : List.of(roles.daemon(), roles.application())) {
      statements(session, GRANTS_ON_SEQUENCES, role, schema, names.sequences());
    }
    String enqueueing = NamePatterns.enqueueing();
    statements(session, GRANTS_ON_FUNCTIONS, roles.application(), schema, enqueueing, 0);
    statements(
        session, GRANTS_ON_FUNCTIONS, roles.application(), schema, NamePatterns.opening(), 0);
    // The functions of tenants run with the rights of this role and call these.
    statements(session, GRANTS_ON_FUNCTIONS, roles.daemon(), schema, enqueueing, ALL_ARGUMENTS);
    statements(session, GRANTS_ON_FUNCTIONS, roles.daemon(), schema, NamePatterns.making(), 0);
    statements(session, GRANTS_ON_FUNCTIONS, roles.daemon(), schema, NamePatterns.refusing(), 0);
    for (String role : List.of(roles.daemon(), roles.application())) {
      statements(session, GRANTS_ON_FUNCTIONS, role, schema, NamePatterns.asking(), 0);
    }
    statements(session, GRANTS_ON_FUNCTIONS, roles.daemon(), schema, NamePatterns.counting(), 0);
  }

  /** Lets operators change rules and plans; they read as members of another role. */
  private void grantRules(Session session) throws SQLException {
    String operator = roles.operator();
    grant(session, operator, CHANGES, NamePatterns.anyOf(List.of("rule", "kind_pause")));
    grant(session, operator, List.of("update"), NamePatterns.anyOf(List.of("rule_version")));
    grant(session, operator, List.of("insert", "update"), NamePatterns.anyOf(List.of("audit")));
    statements(session, GRANTS_ON_PLANS, operator, names.registrySchema());
  }

  private void grant(Session session, String role, List<String> privileges, String tables)
      throws SQLException {
    statements(
        session,
        GRANTS_ON_TABLES,
        role,
        privileges.toArray(String[]::new),
        names.registrySchema(),
        tables);
  }

  private void setDefaults(Session session) throws SQLException {
    var owner = RoleSql.role(roles.owner());
    var daemon = RoleSql.role(roles.daemon());
    var application = RoleSql.role(roles.application());
    var reader = RoleSql.role(roles.reader());
    execute(session, DEFAULT_FUNCTIONS_NOT_PUBLIC.on("role", owner));
    execute(session, DEFAULT_FUNCTIONS_NOT_PUBLIC.on("role", daemon));
    execute(session, DEFAULT_CALLING_OF_FUNCTIONS.on("role", daemon, "other", application));
    execute(session, DEFAULT_USAGE_OF_SCHEMAS.on("role", daemon, "other", application));
    execute(session, DEFAULT_USAGE_OF_SCHEMAS.on("role", daemon, "other", reader));
    execute(session, DEFAULT_WRITING_OF_TABLES.on("role", daemon, "other", application));
    execute(session, DEFAULT_READING_OF_TABLES.on("role", daemon, "other", reader));
  }

  private List<String> all() {
    return List.of(
        roles.owner(), roles.daemon(), roles.application(), roles.reader(), roles.operator());
  }

  /** Runs the statements that a catalog query returns as needed. */
  static void statements(Session session, Sql look, @Nullable Object... binds) throws SQLException {
    List<String> needed =
        session.run(BoundStatement.query(look.call(), look.text(), row -> row.getString(1), binds));
    for (String statement : needed) {
      execute(session, statement);
    }
  }

  private static void execute(Session session, String statement) throws SQLException {
    session.execute("set up roles", List.of(statement));
  }
}
