package dev.rota.internal;

import static dev.rota.internal.AttemptColumns.ATTEMPT;
import static dev.rota.internal.AttemptColumns.CLAIMED_AT;
import static dev.rota.internal.AttemptColumns.CREATED_AT;
import static dev.rota.internal.AttemptColumns.ERROR;
import static dev.rota.internal.AttemptColumns.FINISHED_AT;
import static dev.rota.internal.AttemptColumns.ID;
import static dev.rota.internal.AttemptColumns.KEY;
import static dev.rota.internal.AttemptColumns.KIND;
import static dev.rota.internal.AttemptColumns.PAYLOAD;
import static dev.rota.internal.AttemptColumns.PRIORITY;
import static dev.rota.internal.AttemptColumns.RUN_AT;
import static dev.rota.internal.AttemptColumns.STATE;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;

import dev.rota.Attempt;
import dev.rota.TaskState;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.TenantTables;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * Reads what is known of single tasks, and counts them, over all tables of a tenant. Each in one
 * statement, since a task that is claimed between two of them would be in neither, or in both.
 */
final class AttemptReader {

  private static final Field<OffsetDateTime> NO_TIME = castNull(SQLDataType.TIMESTAMPWITHTIMEZONE);

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
    return session
        .dsl()
        .select(
            ID,
            STATE,
            ATTEMPT,
            KIND,
            PAYLOAD,
            KEY,
            PRIORITY,
            CREATED_AT,
            CLAIMED_AT,
            FINISHED_AT,
            ERROR,
            NO_TIME.as(RUN_AT))
        .from(table(tables.historyView()))
        .where(ID.eq(taskId))
        .unionAll(
            select(
                    ID,
                    STATE,
                    ATTEMPT.plus(1),
                    KIND,
                    PAYLOAD,
                    KEY,
                    PRIORITY,
                    CREATED_AT,
                    NO_TIME,
                    NO_TIME,
                    castNull(SQLDataType.CLOB),
                    RUN_AT)
                .from(table(tables.pendingView()))
                .where(ID.eq(taskId)))
        .orderBy(FINISHED_AT, ATTEMPT)
        .fetch(AttemptColumns::read);
  }

  private Map<TaskState, Long> count(Session session) throws SQLException {
    Map<TaskState, Long> counts = new EnumMap<>(TaskState.class);
    for (TaskState state : TaskState.values()) {
      counts.put(state, 0L);
    }
    TenantTables tables = tenant.tables();
    session
        .dsl()
        .select(STATE, DSL.count())
        .from(
            select(STATE)
                .from(table(tables.pendingView()))
                .unionAll(select(STATE).from(table(tables.historyView()))))
        .groupBy(STATE)
        .forEach(row -> counts.put(AttemptColumns.state(row.value1()), (long) row.value2()));
    return counts;
  }
}
