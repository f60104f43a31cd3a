package dev.rota.internal;

import dev.rota.TaskFilter;
import dev.rota.internal.Lanes.Lane;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Errors;
import dev.rota.internal.db.Sql;
import dev.rota.internal.db.TenantTables;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/**
 * Moves tasks that nobody runs into the lane of another priority, some megabytes in each
 * transaction. Rows of a ring are deleted and inserted, never updated.
 */
final class Reprioritizer {

  private static final Sql CHANGE_PENDING_PRIORITY = Sql.named("change_pending_priority");
  private static final Sql CHANGE_WAITING_PRIORITY = Sql.named("change_waiting_priority");

  private final Database database;
  private final TenantRegistry registry;
  private final LaneMaker lanes;
  private final Doorbell doorbell;
  private final TenantHandle tenant;

  Reprioritizer(
      Database database,
      TenantRegistry registry,
      LaneMaker lanes,
      Doorbell doorbell,
      TenantHandle tenant) {
    this.database = database;
    this.registry = registry;
    this.lanes = lanes;
    this.doorbell = doorbell;
    this.tenant = tenant;
  }

  long change(TaskFilter which, int priority) {
    TaskRules.checkPriority(priority);
    lanes.ensure(tenant, priority);
    List<@Nullable Object> conditions = Conditions.of(which);
    String purpose = "change the priority of tasks of " + tenant.label();
    try {
      // Another process may have made a lane just now.
      database.tryTransaction(purpose, session -> registry.read(session, tenant.number()));
      long changed = changeWaiting(purpose, conditions, laneOf(priority).number());
      long moved = changePending(purpose, conditions, priority);
      if (moved > 0) {
        doorbell.ring(tenant.number());
      }
      return changed + moved;
    } catch (SQLException e) {
      throw Errors.translate(purpose, e);
    }
  }

  private Lane laneOf(int priority) {
    return tenant.state().lanes().find(priority).orElseThrow();
  }

  /** First, since tasks leave the wait table for the rings meanwhile. */
  private long changeWaiting(String purpose, List<@Nullable Object> conditions, int lane)
      throws SQLException {
    Name table = tenant.tables().waiting();
    String sql = CHANGE_WAITING_PRIORITY.on(Map.of("table", table, "lane", Lanes.valueOf(lane)));
    return new BlockSteps(database, table)
        .run(
            purpose,
            (session, range) ->
                session.run(
                    Call.update(
                        CHANGE_WAITING_PRIORITY.call(), sql, range.after(conditions).toArray())));
  }

  private long changePending(String purpose, List<@Nullable Object> conditions, int priority)
      throws SQLException {
    TenantTables tables = tenant.tables();
    int target = laneOf(priority).number();
    long moved = 0;
    for (int slot : tenant.state().lanes().slotsInDirectionOfMoves()) {
      if (Lanes.of(slot) != target) {
        moved +=
            new BlockSteps(database, tables.slot(slot))
                .run(
                    purpose,
                    (session, range) -> session.run(move(slot, target, range.after(conditions))));
      }
    }
    return moved;
  }

  private Call<Integer> move(int slot, int target, List<@Nullable Object> binds) {
    TenantTables tables = tenant.tables();
    int current = tenant.state().lanes().get(target).currentSlot();
    String sql =
        CHANGE_PENDING_PRIORITY.on("table", tables.slot(slot), "slot", tables.slot(current));
    return Call.update(CHANGE_PENDING_PRIORITY.call(), sql, binds.toArray());
  }
}
