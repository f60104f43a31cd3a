package dev.rota.control.internal;

import dev.rota.control.TaskFilter;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.schema.BlockRange;
import dev.rota.internal.settle.BlockRanges;
import dev.rota.internal.settle.TaskExtension.EndedTask;
import dev.rota.internal.settle.TaskExtensions;
import dev.rota.internal.settle.TaskExtensions.EndedTasks;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.internal.text.ErrorText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jooq.Field;
import org.jooq.Name;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Moves tasks that are not running from the wait table and the ring of a tenant into its history,
 * as cancelled. Each transaction moves some megabytes.
 */
public final class PendingCanceller {

  private static final Sql CANCEL = Sql.named("cancel");
  private static final Sql COUNT_CHOSEN = Sql.named("count_chosen");

  private final Database database;
  private final TenantRegistry registry;
  private final TaskExtensions extensions;
  private final TenantRef tenant;

  public PendingCanceller(
      Database database, TenantRegistry registry, TaskExtensions extensions, TenantRef tenant) {
    this.database = database;
    this.registry = registry;
    this.extensions = extensions;
    this.tenant = tenant;
  }

  public long cancel(TaskFilter which, String reason) {
    return cancel(which, reason, new TaskSteps(tasks -> true));
  }

  long cancel(TaskFilter which, String reason, TaskSteps steps) {
    String text = ErrorText.cut(reason);
    List<@Nullable Object> conditions = FilterBinds.of(which);
    return inEach(
        "cancel tasks of " + tenant.label(),
        steps,
        (session, range, source) -> cancel(session, source, range.after(conditions), text));
  }

  long count(TaskFilter which, TaskSteps steps) {
    List<@Nullable Object> conditions = FilterBinds.of(which);
    return inEach(
        "count tasks of " + tenant.label(),
        steps,
        (session, range, source) -> count(session, source, range.after(conditions)));
  }

  /** The work of one step in one table. */
  private interface Work {
    int run(Session session, BlockRange range, Source source) throws SQLException;
  }

  private long inEach(String purpose, TaskSteps steps, Work work) {
    try {
      if (!database.tryTransaction(purpose, tenant::hasTables)) {
        return 0;
      }
      for (Source source : sources()) {
        if (!steps.ended()) {
          long unused =
              new BlockRanges(database, source.table)
                  .run(purpose, (session, range) -> work.run(session, range, source), steps);
        }
      }
      return steps.tasks();
    } catch (SQLException e) {
      throw SqlErrors.translate(purpose, e);
    }
  }

  private static int count(Session session, Source source, List<@Nullable Object> conditions)
      throws SQLException {
    return session
        .run(
            BoundStatement.query(
                COUNT_CHOSEN.call(),
                COUNT_CHOSEN.on("table", source.table),
                row -> row.getInt(1),
                conditions.toArray()))
        .get(0);
  }

  /** A table that may hold tasks, and the lane of its tasks. */
  private record Source(Name table, Field<Short> lane) {}

  /**
   * The tables in the direction in which tasks are moved, so that the scan misses none. Waiting
   * ones go into the rings, those of other slots into the current one.
   */
  private List<Source> sources() {
    TenantTables tables = tenant.tables();
    List<Source> all = new ArrayList<>();
    all.add(new Source(tables.waiting(), DSL.field(DSL.name("t", "lane"), Short.class)));
    for (int slot : tenant.state().lanes().slotsInDirectionOfMoves()) {
      all.add(new Source(tables.slot(slot), PriorityLanes.valueOf(PriorityLanes.of(slot))));
    }
    return all;
  }

  private int cancel(
      Session session, Source source, List<@Nullable Object> conditions, String reason)
      throws SQLException {
    // Read in this transaction: a segment that is open now is not dropped before it ends.
    int segment = registry.get(session, tenant.number()).state().currentSegment();
    List<@Nullable Object> binds = new ArrayList<>(conditions);
    binds.add(reason);
    Cancelled cancelled =
        session
            .run(
                BoundStatement.query(
                    CANCEL.call(),
                    CANCEL.on(
                        Map.of(
                            "table", source.table,
                            "lane", source.lane,
                            "segment", tenant.tables().segment(segment))),
                    PendingCanceller::read,
                    binds.toArray()))
            .get(0);
    EndedTasks endings = new EndedTasks();
    cancelled.marked.forEach(ending -> endings.add(tenant, ending));
    extensions.ended(session, endings);
    return cancelled.count;
  }

  private record Cancelled(int count, List<EndedTask> marked) {}

  private static Cancelled read(ResultSet row) throws SQLException {
    List<EndedTask> marked = new ArrayList<>();
    if (row.getArray(2) != null) {
      Long[] ids = (Long[]) row.getArray(2).getArray();
      @Nullable String[] keys = (@Nullable String[]) row.getArray(3).getArray();
      @Nullable Integer[] traits = (@Nullable Integer[]) row.getArray(4).getArray();
      for (int i = 0; i < ids.length; i++) {
        int bits = traits[i] == null ? 0 : traits[i];
        marked.add(new EndedTask(ids[i], keys[i], bits, AttemptStateCode.CANCELLED, null));
      }
    }
    return new Cancelled(row.getInt(1), marked);
  }
}
