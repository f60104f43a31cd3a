package dev.rota.internal.tenant;

import dev.rota.InvalidTaskException;
import dev.rota.NewTask;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.LockRetry;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.RoleSql;
import dev.rota.internal.schema.TenantDdl;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jooq.Name;

/**
 * Creates the lane of a priority when a tenant first uses it: three slots, and an entry in the
 * tenant's row of the registry. It uses a transaction of Rota's own, never one of a caller.
 * Thread-safe.
 */
public final class LaneCreator {

  private static final Sql REGISTER_LANE = Sql.named("register_lane");
  private static final Sql GRANTS_ON_FIRST_SLOT = Sql.named("grants_on_first_slot");

  private final LockRetry change;
  private final TenantRegistry registry;
  private final RegistryTables tables;
  private final SlotWidener widener;

  public LaneCreator(
      Database database, TenantRegistry registry, RegistryTables tables, SlotWidener widener) {
    this.change =
        new LockRetry(
            database,
            "the tenant",
            "end transactions that read its view of pending tasks, and try again");
    this.registry = registry;
    this.tables = tables;
    this.widener = widener;
  }

  /** Creates the lanes that these tasks need, and the room for them, before they are stored. */
  public void ensure(TenantRef tenant, List<NewTask> tasks) {
    for (NewTask task : tasks) {
      ensure(tenant, task.priority());
    }
    widener.ensure(tenant, tasks);
  }

  /** Creates the lane of a priority if the tenant has none. */
  public void ensure(TenantRef tenant, int priority) {
    if (priority != 0 && tenant.state().lanes().find(priority).isEmpty()) {
      make(tenant, priority);
    }
  }

  private void make(TenantRef tenant, int priority) {
    String purpose = "make the lane of priority " + priority + " of " + tenant.label();
    try {
      PriorityLanes lanes = change.make(purpose, session -> make(session, tenant, priority));
      tenant.learn(tenant.state().knowing(lanes));
    } catch (SQLException e) {
      throw SqlErrors.translate(
          purpose
              + " (the owner of its tables can: rota tenant lane NAME --priority "
              + priority
              + ")",
          e);
    }
  }

  /**
   * Creates the lane. Another process may have created it, or be creating it; the lock on the
   * tenant's row serializes them.
   */
  private PriorityLanes make(Session session, TenantRef tenant, int priority) throws SQLException {
    session.run(RoleSql.actAsKeeper(tables));
    TenantEditor.lock(session, tables, tenant);
    TenantRef.State state = registry.read(session, tenant.number()).state();
    PriorityLanes lanes = state.lanes();
    if (lanes.find(priority).isPresent()) {
      return lanes;
    }
    if (lanes.count() == PriorityLanes.MOST) {
      throw tooMany(tenant, lanes, priority);
    }
    PriorityLanes more = lanes.adding(priority);
    if (state.isParked()) {
      // Its ring is made together with those of the other lanes.
      register(session, tables, tenant.tables(), more.priorities());
    } else {
      create(session, tables, tenant.tables(), more.priorities());
      if (more.areWide()) {
        List<Boolean> unused = session.run(SlotWidener.of(tenant.tables()));
      }
    }
    return more;
  }

  /**
   * Creates the last lane of a tenant whose row is locked. Its ring gets the grants of the first
   * ring; the view and the registry get an entry for it. The role that owns the tenant's tables
   * does it.
   *
   * @param priorities the priorities of all its lanes by their numbers, the new one included
   */
  public static void create(
      Session session, RegistryTables tables, TenantTables tenant, List<Integer> priorities)
      throws SQLException {
    int lane = priorities.size() - 1;
    session.execute("create lane", new TenantDdl(tables).createLane(tenant, priorities));
    List<String> grants = grants(session, tenant, lane);
    if (!grants.isEmpty()) {
      session.execute("grant lane", grants);
    }
    register(session, tables, tenant, priorities);
  }

  private static void register(
      Session session, RegistryTables tables, TenantTables tenant, List<Integer> priorities)
      throws SQLException {
    int lane = priorities.size() - 1;
    int unused =
        session.run(
            BoundStatement.update(
                REGISTER_LANE.call(),
                REGISTER_LANE.on("tenants", tables.tenants()),
                priorities.get(lane),
                lane * TenantTables.SLOTS,
                tenant.number()));
  }

  private static List<String> grants(Session session, TenantTables own, int lane)
      throws SQLException {
    List<String> grants = new ArrayList<>();
    for (Name slot : own.slots(lane)) {
      grants.addAll(
          session.run(
              BoundStatement.query(
                  GRANTS_ON_FIRST_SLOT,
                  row -> row.getString(1),
                  Sql.render(slot),
                  Sql.render(own.slot(0)))));
    }
    return grants;
  }

  private static InvalidTaskException tooMany(TenantRef tenant, PriorityLanes lanes, int priority) {
    String known =
        lanes.inOrder().stream()
            .map(lane -> Integer.toString(lane.priority()))
            .collect(Collectors.joining(", "));
    return new InvalidTaskException(
        "priority is "
            + priority
            + "; "
            + tenant.label()
            + " has the priorities "
            + known
            + ", and no tenant can have more than "
            + PriorityLanes.MOST
            + ": use one of them",
        "priority",
        -1);
  }
}
