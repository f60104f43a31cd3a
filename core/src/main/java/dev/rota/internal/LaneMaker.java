package dev.rota.internal;

import dev.rota.InvalidTaskException;
import dev.rota.NewTask;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.DiscoverySql;
import dev.rota.internal.db.Errors;
import dev.rota.internal.db.LaneSql;
import dev.rota.internal.db.RoleSql;
import dev.rota.internal.db.RotaTables;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.TenantDdl;
import dev.rota.internal.db.TenantTables;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jooq.Name;

/**
 * Makes the lane of a priority when a tenant first uses it: three slots, and a place in the
 * tenant's row of the registry. In a transaction of Rota's own, never in one of a caller.
 * Thread-safe.
 */
final class LaneMaker {

  private final PatientChange change;
  private final TenantRegistry registry;
  private final RotaTables tables;
  private final TenantDdl ddl;

  LaneMaker(Database database, TenantRegistry registry, RotaTables tables) {
    this.change =
        new PatientChange(
            database,
            "the tenant",
            "end transactions that read its view of pending tasks, and try again");
    this.registry = registry;
    this.tables = tables;
    this.ddl = new TenantDdl(tables);
  }

  /** Makes the lanes that these tasks need, before they are stored. */
  void ensure(TenantHandle tenant, List<NewTask> tasks) {
    for (NewTask task : tasks) {
      ensure(tenant, task.priority());
    }
  }

  /** Makes the lane of a priority if the tenant has none. */
  void ensure(TenantHandle tenant, int priority) {
    if (priority != 0 && tenant.state().lanes().find(priority).isEmpty()) {
      make(tenant, priority);
    }
  }

  private void make(TenantHandle tenant, int priority) {
    String purpose = "make the lane of priority " + priority + " of " + tenant.label();
    try {
      Lanes lanes = change.make(purpose, session -> make(session, tenant, priority));
      registry.learn(tenant.state().knowing(lanes));
    } catch (SQLException e) {
      throw Errors.translate(
          purpose
              + " (the owner of its tables can: rota tenant lane NAME --priority "
              + priority
              + ")",
          e);
    }
  }

  /** Another process may have made it, or be making it: the tenant's row lets one of them wait. */
  private Lanes make(Session session, TenantHandle tenant, int priority) throws SQLException {
    session.run(RoleSql.actAsKeeper(tables));
    RegistryEditor.lock(session, tables, tenant);
    Lanes lanes = registry.read(session, tenant.number()).state().lanes();
    if (lanes.find(priority).isPresent()) {
      return lanes;
    }
    if (lanes.count() == Lanes.MOST) {
      throw tooMany(tenant, lanes, priority);
    }
    Lanes more = lanes.adding(priority);
    int lane = lanes.count();
    session.execute("create lane", ddl.createLane(tenant.tables(), lane, more.priorities()));
    List<String> grants = grants(session, tenant.tables(), lane);
    if (!grants.isEmpty()) {
      session.execute("grant lane", grants);
    }
    int unused =
        session.run(
            Call.update(
                LaneSql.REGISTER_LANE.call(),
                LaneSql.REGISTER_LANE.on("tenants", tables.tenants()),
                priority,
                more.get(lane).currentSlot(),
                tenant.number()));
    return more;
  }

  private static List<String> grants(Session session, TenantTables own, int lane)
      throws SQLException {
    List<String> grants = new ArrayList<>();
    for (Name slot : own.slots(lane)) {
      grants.addAll(
          session.run(
              Call.query(
                  LaneSql.GRANTS_ON_FIRST_SLOT,
                  row -> row.getString(1),
                  DiscoverySql.text(slot),
                  DiscoverySql.text(own.slot(0)))));
    }
    return grants;
  }

  private static InvalidTaskException tooMany(TenantHandle tenant, Lanes lanes, int priority) {
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
            + Lanes.MOST
            + ": use one of them",
        "priority",
        -1);
  }
}
