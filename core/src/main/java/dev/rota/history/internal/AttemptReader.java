package dev.rota.history.internal;

import static dev.rota.internal.schema.HistoryColumns.ATTEMPT;
import static dev.rota.internal.schema.HistoryColumns.CREATED_AT;
import static dev.rota.internal.schema.HistoryColumns.HEADERS;
import static dev.rota.internal.schema.HistoryColumns.ID;
import static dev.rota.internal.schema.HistoryColumns.KEY;
import static dev.rota.internal.schema.HistoryColumns.KIND;
import static dev.rota.internal.schema.HistoryColumns.PAYLOAD;
import static dev.rota.internal.schema.HistoryColumns.PRIORITY;
import static dev.rota.internal.schema.HistoryColumns.RUN_AT;
import static dev.rota.internal.schema.HistoryColumns.STATE;
import static java.util.Comparator.comparing;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.when;

import dev.rota.Attempt;
import dev.rota.TaskState;
import dev.rota.history.ArchiveUse;
import dev.rota.history.HistoryFilter;
import dev.rota.history.internal.HistoryScan.HistoryRows;
import dev.rota.history.internal.HistoryScan.Sources;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.HistoryColumns;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.HistoryPlace;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Select;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * Reads the attempts of single tasks from all tables of a tenant and the archive, and counts the
 * rows of the tables. One statement reads all tables, since a task that is claimed between two
 * statements would be in neither result, or in both.
 */
final class AttemptReader {

  private static final Field<OffsetDateTime> NO_TIME = castNull(SQLDataType.TIMESTAMPWITHTIMEZONE);

  private final Sources sources;
  private final TenantRef tenant;

  AttemptReader(Sources sources, TenantRef tenant) {
    this.sources = sources;
    this.tenant = tenant;
  }

  List<Attempt> attempts(long taskId, Consumer<ArchiveUse> archive) {
    return HistoryScan.perform(sources, tenant, scan -> attempts(scan, taskId), archive);
  }

  Map<TaskState, Long> counts() {
    return sources
        .database()
        .readings()
        .transaction("count the tasks of " + tenant.label(), this::count);
  }

  private List<Attempt> attempts(HistoryScan scan, long taskId) {
    List<Attempt> attempts = new ArrayList<>();
    for (HistoryPlace place : scan.placesTogether(HistoryFilter.all().taskId(taskId))) {
      scan.<List<Attempt>>read(place, rows -> read(rows, place.archived().isEmpty(), taskId))
          .ifPresent(attempts::addAll);
    }
    attempts.sort(
        comparing((Attempt attempt) -> attempt.finishedAt().orElse(Instant.MAX))
            .thenComparing(Attempt::number));
    return attempts;
  }

  private List<Attempt> read(HistoryRows history, boolean withPending, long taskId) {
    Select<Record> ended =
        history
            .dsl()
            .select(HistoryColumns.OF_ATTEMPT)
            .select(NO_TIME.as(RUN_AT))
            .from(history.table())
            .where(history.condition(), ID.eq(taskId));
    return (withPending ? ended.unionAll(pending(taskId)) : ended).fetch(HistoryColumns::read);
  }

  private Select<Record> pending(long taskId) {
    return select(
            List.of(
                ID,
                STATE,
                when(ATTEMPT.lt(Integer.MAX_VALUE), ATTEMPT.plus(1)).otherwise(ATTEMPT),
                KIND,
                PAYLOAD,
                HEADERS,
                KEY,
                PRIORITY,
                field("case when isfinite({0}) then {0} end", OffsetDateTime.class, CREATED_AT),
                NO_TIME,
                NO_TIME,
                castNull(SQLDataType.CLOB),
                field("case when isfinite({0}) then {0} end", OffsetDateTime.class, RUN_AT)))
        .from(table(tenant.tables().pendingView()))
        .where(ID.eq(taskId));
  }

  private Map<TaskState, Long> count(Session session) throws SQLException {
    Map<TaskState, Long> counts = new EnumMap<>(TaskState.class);
    for (TaskState state : TaskState.values()) {
      counts.put(state, 0L);
    }
    if (!tenant.hasTables(session)) {
      return counts;
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
        .forEach(row -> counts.put(HistoryColumns.state(row.value1()), (long) row.value2()));
    return counts;
  }
}
