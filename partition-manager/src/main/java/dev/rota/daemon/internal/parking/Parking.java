package dev.rota.daemon.internal.parking;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.RoleSql;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jooq.Name;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Drops the tables of one idle tenant, by a sequence of statements in one transaction that must
 * never lose a row. Thread-safe.
 */
final class Parking {

  private static final Sql LOCK_TENANT_TO_PARK = Sql.named("lock_tenant_to_park");
  private static final Sql TAKE_GATE_OF_TENANT = Sql.named("take_gate_of_tenant");
  private static final Sql LOOK_WHETHER_IDLE = Sql.named("look_whether_idle");
  private static final Sql LIST_RELATIONS_OF_TENANT = Sql.named("list_relations_of_tenant");
  private static final Sql LOOK_FOR_ADDITIONS = Sql.named("look_for_additions");
  private static final Sql LOCK_TABLES_OF_TENANT = Sql.named("lock_tables_of_tenant");
  private static final Sql LOOK_INTO_TABLE = Sql.named("look_into_table");
  private static final Sql DROP_VIEWS_OF_TENANT = Sql.named("drop_views_of_tenant");
  private static final Sql DROP_TABLES_OF_TENANT = Sql.named("drop_tables_of_tenant");
  private static final Sql NOTE_PARKED = Sql.named("note_parked");
  private static final Sql NOTE_DROPPED_SEGMENTS = Sql.named("note_dropped_segments");

  private static final String LEVEL = "read committed";

  private final RegistryTables rota;
  private final ParkingCalls calls;
  private final int lockNamespace;
  private final Duration idleFor;

  /** A table or view that Rota made in a tenant's schema. */
  private record Relation(Name name, boolean isView) {}

  /** A tenant's row: whether its announcement is over, and the isolation level. */
  private record Pointer(boolean announced, String isolation) {}

  Parking(RegistryTables rota, int lockNamespace, Duration idleFor) {
    this.rota = rota;
    this.calls = new ParkingCalls(rota);
    this.lockNamespace = lockNamespace;
    this.idleFor = idleFor;
  }

  /**
   * Drops the tables.
   *
   * @return whether it did; false if a producer has taken the announcement back
   * @throws BusyException if the tenant is not idle, or has something that would be lost
   */
  boolean run(Session session, TenantTables tenant) throws SQLException {
    session.run(RoleSql.actAsKeeper(rota));
    if (!lock(session, tenant.number())) {
      return false;
    }
    takeGate(session, tenant.number());
    requireIdle(session, tenant.number());
    List<Relation> relations = relations(session, tenant);
    refuseAdditions(session, tenant);
    List<Name> tables = names(relations, false);
    session.run(statement(LOCK_TABLES_OF_TENANT, "tables", tables));
    refuseRows(session, tables);
    drop(session, DROP_VIEWS_OF_TENANT, "views", names(relations, true));
    drop(session, DROP_TABLES_OF_TENANT, "tables", tables);
    session.run(calls.update(NOTE_DROPPED_SEGMENTS, tenant.number()));
    session.run(calls.update(NOTE_PARKED, tenant.number()));
    return true;
  }

  /**
   * Looks at an idle tenant without locks, so that few announcements are in vain.
   *
   * @throws BusyException if the tenant has something that would be lost
   */
  boolean isEmpty(Session session, TenantTables tenant) throws SQLException {
    refuseAdditions(session, tenant);
    for (Name table : names(relations(session, tenant), false)) {
      if (!session.run(look(table)).isEmpty()) {
        return false;
      }
    }
    return true;
  }

  private boolean lock(Session session, int number) throws SQLException {
    List<Pointer> rows =
        session.run(
            calls.query(
                LOCK_TENANT_TO_PARK,
                row -> new Pointer(row.getBoolean(1), row.getString(2)),
                number));
    if (rows.isEmpty() || !rows.get(0).announced()) {
      return false;
    }
    if (!rows.get(0).isolation().equals(LEVEL)) {
      throw new IllegalStateException(
          "a tenant is parked at " + rows.get(0).isolation() + ", where tasks would be lost");
    }
    return true;
  }

  private void takeGate(Session session, int number) throws SQLException {
    List<Boolean> taken =
        session.run(
            BoundStatement.query(
                TAKE_GATE_OF_TENANT, row -> row.getBoolean(1), lockNamespace, number));
    if (!taken.contains(true)) {
      throw new BusyException("a worker is claiming from it", false);
    }
  }

  private void requireIdle(Session session, int number) throws SQLException {
    boolean idle =
        !session
            .run(calls.query(LOOK_WHETHER_IDLE, row -> true, (double) idleFor.toMillis(), number))
            .isEmpty();
    if (!idle) {
      throw new BusyException("it is in use again", false);
    }
  }

  private static List<Relation> relations(Session session, TenantTables tenant)
      throws SQLException {
    String schema = String.valueOf(tenant.schema().last());
    return session.run(
        BoundStatement.query(
            LIST_RELATIONS_OF_TENANT,
            row -> new Relation(DSL.name(schema, row.getString(1)), row.getBoolean(2)),
            schema,
            tenant.number()));
  }

  /** Refuses a tenant that has what Rota cannot make again, or relations of other programs. */
  private void refuseAdditions(Session session, TenantTables tenant) throws SQLException {
    String schema = tenant.schema().last();
    List<String> found =
        session.run(
            BoundStatement.query(
                LOOK_FOR_ADDITIONS, row -> row.getString(1), schema, tenant.number(), schema));
    if (!found.isEmpty()) {
      throw new BusyException("it has " + found.get(0), true);
    }
  }

  private static void refuseRows(Session session, List<Name> tables) throws SQLException {
    List<List<Boolean>> found = session.runAll(tables.stream().map(Parking::look).toList());
    for (int i = 0; i < found.size(); i++) {
      if (!found.get(i).isEmpty()) {
        throw new BusyException("table " + tables.get(i).last() + " has rows", false);
      }
    }
  }

  private static BoundStatement<List<Boolean>> look(Name table) {
    return BoundStatement.query(
        LOOK_INTO_TABLE.call(), LOOK_INTO_TABLE.on("table", table), row -> true);
  }

  private static void drop(Session session, Sql statement, String place, List<Name> names)
      throws SQLException {
    if (!names.isEmpty()) {
      session.run(statement(statement, place, names));
    }
  }

  private static List<Name> names(List<Relation> relations, boolean views) {
    return relations.stream()
        .filter(relation -> relation.isView() == views)
        .map(Relation::name)
        .toList();
  }

  private static BoundStatement<Integer> statement(Sql template, String place, List<Name> names) {
    QueryPart all = DSL.sql(names.stream().map(Sql::render).collect(Collectors.joining(", ")));
    return BoundStatement.update(template.call(), template.on(Map.of(place, all)));
  }

  /** Thrown to roll back a parking that is not possible at present. */
  static final class BusyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean lasting;

    BusyException(@Nullable String reason, boolean lasting) {
      super(reason, null, false, false);
      this.lasting = lasting;
    }

    /** Whether an administrator has to change something. */
    boolean isLasting() {
      return lasting;
    }
  }
}
