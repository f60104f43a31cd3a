package dev.rota.control.internal;

import dev.rota.control.TaskFilter;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.enqueue.Doorbell;
import dev.rota.internal.settle.BlockRanges;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.LaneCreator;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import dev.rota.internal.tenant.TenantRef.PriorityLanes.Lane;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/**
 * Moves tasks that are not running into the lane of another priority, some megabytes in each
 * transaction. Rows of a ring are deleted and inserted, never updated.
 */
public final class PriorityChanger {

  private static final Sql CHANGE_PENDING_PRIORITY = Sql.named("change_pending_priority");
  private static final Sql CHANGE_WAITING_PRIORITY = Sql.named("change_waiting_priority");

  private final Database database;
  private final LaneCreator laneCreator;
  private final Doorbell doorbell;
  private final TenantRef tenant;

  public PriorityChanger(
      Database database, LaneCreator laneCreator, Doorbell doorbell, TenantRef tenant) {
    this.database = database;
    this.laneCreator = laneCreator;
    this.doorbell = doorbell;
    this.tenant = tenant;
  }

  long change(TaskFilter which, int priority, TaskSteps steps) {
    TaskValidator.checkPriority(priority);
    laneCreator.ensure(tenant, priority);
    List<@Nullable Object> conditions = FilterBinds.of(which);
    String purpose = "change the priority of tasks of " + tenant.label();
    try {
      if (!database.tryTransaction(purpose, tenant::hasTables)) {
        return 0;
      }
      long changed = changeWaiting(purpose, conditions, laneOf(priority).number(), steps);
      long moved = changePending(purpose, conditions, priority, steps);
      if (moved > 0) {
        doorbell.ring(tenant.number());
      }
      return changed + moved;
    } catch (SQLException e) {
      throw SqlErrors.translate(purpose, e);
    }
  }

  private Lane laneOf(int priority) {
    return tenant.state().lanes().find(priority).orElseThrow();
  }

  /** Changes waiting tasks first, since tasks leave the wait table for the rings meanwhile. */
  private long changeWaiting(
      String purpose, List<@Nullable Object> conditions, int lane, TaskSteps steps)
      throws SQLException {
    Name table = tenant.tables().waiting();
    String sql =
        CHANGE_WAITING_PRIORITY.on(Map.of("table", table, "lane", PriorityLanes.valueOf(lane)));
    return new BlockRanges(database, table)
        .run(
            purpose,
            (session, range) ->
                session.run(
                    BoundStatement.update(
                        CHANGE_WAITING_PRIORITY.call(), sql, range.after(conditions).toArray())),
            steps);
  }

  private long changePending(
      String purpose, List<@Nullable Object> conditions, int priority, TaskSteps steps)
      throws SQLException {
    TenantTables tables = tenant.tables();
    int target = laneOf(priority).number();
    long moved = 0;
    for (int slot : tenant.state().lanes().slotsInDirectionOfMoves()) {
      if (PriorityLanes.of(slot) != target && !steps.ended()) {
        moved +=
            new BlockRanges(database, tables.slot(slot))
                .run(
                    purpose,
                    (session, range) -> session.run(move(slot, target, range.after(conditions))),
                    steps);
      }
    }
    return moved;
  }

  private BoundStatement<Integer> move(int slot, int target, List<@Nullable Object> binds) {
    TenantTables tables = tenant.tables();
    int current = tenant.state().lanes().get(target).currentSlot();
    String sql =
        CHANGE_PENDING_PRIORITY.on("table", tables.slot(slot), "slot", tables.slot(current));
    return BoundStatement.update(CHANGE_PENDING_PRIORITY.call(), sql, binds.toArray());
  }
}
