package dev.rota.internal;

import static org.jooq.impl.DSL.table;

import dev.rota.Attempt;
import dev.rota.TaskState;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.TenantTables;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jooq.Name;
import org.jooq.impl.DSL;

/** Reads what is known of single tasks, and counts them, over all tables of a tenant. */
final class AttemptReader {

  private final Engine engine;
  private final TenantHandle tenant;

  AttemptReader(Engine engine, TenantHandle tenant) {
    this.engine = engine;
    this.tenant = tenant;
  }

  List<Attempt> attempts(long taskId) {
    return engine
        .readings()
        .transaction(
            "read task " + taskId + " of " + tenant.label(), session -> read(session, taskId));
  }

  Map<TaskState, Long> counts() {
    return engine.readings().transaction("count the tasks of " + tenant.label(), this::count);
  }

  private List<Attempt> read(Session session, long taskId) throws SQLException {
    TenantTables tables = tenant.tables();
    List<Attempt> attempts = new ArrayList<>();
    session
        .dsl()
        .selectFrom(table(tables.historyView()))
        .where(AttemptColumns.ID.eq(taskId))
        .orderBy(AttemptColumns.ATTEMPT, AttemptColumns.FINISHED_AT)
        .forEach(row -> attempts.add(AttemptColumns.claimed(row)));
    session
        .dsl()
        .selectFrom(table(tables.pendingView()))
        .where(AttemptColumns.ID.eq(taskId))
        .forEach(row -> attempts.add(AttemptColumns.toCome(row)));
    return attempts;
  }

  private Map<TaskState, Long> count(Session session) throws SQLException {
    Map<TaskState, Long> counts = new EnumMap<>(TaskState.class);
    for (TaskState state : TaskState.values()) {
      counts.put(state, 0L);
    }
    for (Name view : List.of(tenant.tables().pendingView(), tenant.tables().historyView())) {
      session
          .dsl()
          .select(AttemptColumns.STATE, DSL.count())
          .from(table(view))
          .groupBy(AttemptColumns.STATE)
          .forEach(row -> counts.put(AttemptColumns.state(row.value1()), (long) row.value2()));
    }
    return counts;
  }
}
