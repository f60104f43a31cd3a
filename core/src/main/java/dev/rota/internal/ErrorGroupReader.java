package dev.rota.internal;

import static dev.rota.internal.AttemptColumns.ERROR;
import static dev.rota.internal.AttemptColumns.FINISHED_AT;
import static dev.rota.internal.AttemptColumns.ID;
import static dev.rota.internal.AttemptColumns.STATE;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.table;

import dev.rota.ErrorGroup;
import dev.rota.HistoryFilter;
import dev.rota.TaskState;
import dev.rota.internal.db.Session;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import org.jooq.Record6;

/** Groups a tenant's failed attempts by the text of their errors. */
final class ErrorGroupReader {

  private final Engine engine;
  private final TenantHandle tenant;

  ErrorGroupReader(Engine engine, TenantHandle tenant) {
    this.engine = engine;
    this.tenant = tenant;
  }

  List<ErrorGroup> read(HistoryFilter filter) {
    if (filter.cursor().isPresent()) {
      throw new IllegalArgumentException(
          "the filter has a cursor; error groups have no pages, leave out after(cursor)");
    }
    return engine
        .readings()
        .transaction("group the errors of " + tenant.label(), session -> read(session, filter));
  }

  private List<ErrorGroup> read(Session session, HistoryFilter filter) throws SQLException {
    return session
        .dsl()
        .select(
            ERROR,
            count(),
            count().filterWhere(STATE.eq(AttemptColumns.label(TaskState.DEAD))),
            min(FINISHED_AT),
            max(FINISHED_AT),
            max(ID))
        .from(table(tenant.tables().historyView()))
        .where(ERROR.isNotNull().and(HistoryReader.condition(filter)))
        .groupBy(ERROR)
        .orderBy(count().desc(), ERROR)
        .limit(filter.limit())
        .fetch(ErrorGroupReader::group);
  }

  private static ErrorGroup group(
      Record6<String, Integer, Integer, OffsetDateTime, OffsetDateTime, Long> row) {
    return new ErrorGroup(
        row.value1(),
        row.value2(),
        row.value3(),
        new ErrorGroup.Period(row.value4().toInstant(), row.value5().toInstant()),
        row.value6());
  }
}
