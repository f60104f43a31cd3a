package dev.rota.internal;

import static dev.rota.internal.AttemptColumns.ATTEMPT;
import static dev.rota.internal.AttemptColumns.BATCH_ID;
import static dev.rota.internal.AttemptColumns.CREATED_AT;
import static dev.rota.internal.AttemptColumns.ID;
import static dev.rota.internal.AttemptColumns.KIND;
import static dev.rota.internal.AttemptColumns.SEGMENT;
import static dev.rota.internal.AttemptColumns.STATE;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.table;

import dev.rota.Attempt;
import dev.rota.HistoryFilter;
import dev.rota.HistoryPage;
import dev.rota.internal.db.Session;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Reads pages of a tenant's history, from its newest segment to its oldest: a page opens no more
 * segments than it needs.
 */
final class HistoryReader {

  private static final Field<Integer> TENANT = field(name("tenant"), Integer.class);
  private static final Field<Integer> SEQ = field(name("seq"), Integer.class);
  private static final Field<OffsetDateTime> DROPPED_AT =
      field(name("dropped_at"), OffsetDateTime.class);

  private final Engine engine;
  private final TenantHandle tenant;

  HistoryReader(Engine engine, TenantHandle tenant) {
    this.engine = engine;
    this.tenant = tenant;
  }

  HistoryPage page(HistoryFilter filter) {
    Optional<HistoryCursor> cursor = filter.cursor().map(HistoryCursor::parse);
    return engine
        .readings()
        .transaction(
            "read the history of " + tenant.label(), session -> page(session, filter, cursor));
  }

  private HistoryPage page(Session session, HistoryFilter filter, Optional<HistoryCursor> cursor)
      throws SQLException {
    List<Record> rows = new ArrayList<>();
    Condition reached = cursor.map(c -> SEQ.le(c.segment())).orElseGet(DSL::noCondition);
    for (int segment : segments(session, engine, tenant, reached)) {
      Condition condition = condition(filter, segment);
      if (cursor.isPresent() && cursor.get().segment() == segment) {
        condition = condition.and(behind(cursor.get()));
      }
      rows.addAll(read(session, condition, filter.limit() + 1 - rows.size()));
      if (rows.size() > filter.limit()) {
        break;
      }
    }
    return page(rows, filter.limit());
  }

  private static HistoryPage page(List<Record> rows, int limit) {
    List<Attempt> attempts = rows.stream().limit(limit).map(AttemptColumns::read).toList();
    Optional<String> next =
        rows.size() > limit
            ? Optional.of(HistoryCursor.of(rows.get(limit - 1)).toString())
            : Optional.empty();
    return new HistoryPage(attempts, next);
  }

  /** The numbers of a tenant's segments, the newest first. */
  static List<Integer> segments(
      Session session, Engine engine, TenantHandle tenant, Condition condition)
      throws SQLException {
    return session
        .dsl()
        .select(SEQ)
        .from(table(engine.tables().segments()))
        .where(TENANT.eq(tenant.number()), DROPPED_AT.isNull())
        .and(condition)
        .orderBy(SEQ.desc())
        .fetch(SEQ);
  }

  private List<Record> read(Session session, Condition condition, int limit) throws SQLException {
    return new ArrayList<>(
        session
            .dsl()
            .selectFrom(table(tenant.tables().historyView()))
            .where(condition)
            .orderBy(CREATED_AT.desc(), ID.desc(), ATTEMPT.desc(), BATCH_ID.desc())
            .limit(limit)
            .fetch());
  }

  private static Condition condition(HistoryFilter filter, int segment) {
    return SEGMENT.eq(segment).and(condition(filter));
  }

  /** What a filter asks of an attempt. */
  static Condition condition(HistoryFilter filter) {
    List<String> labels = filter.states().stream().map(AttemptColumns::label).toList();
    Condition condition = STATE.in(labels);
    condition = condition.and(filter.kind().map(KIND::eq).orElseGet(DSL::noCondition));
    condition =
        condition.and(
            filter.createdFrom().map(t -> CREATED_AT.ge(utc(t))).orElseGet(DSL::noCondition));
    return condition.and(
        filter.createdBefore().map(t -> CREATED_AT.lt(utc(t))).orElseGet(DSL::noCondition));
  }

  /** A task that was handed back has several rows of one attempt, each of another batch. */
  private static Condition behind(HistoryCursor cursor) {
    return row(CREATED_AT, ID, ATTEMPT, BATCH_ID)
        .lt(row(utc(cursor.createdAt()), cursor.id(), cursor.attempt(), cursor.batch()));
  }

  private static OffsetDateTime utc(Instant time) {
    return time.atOffset(ZoneOffset.UTC);
  }

  /** Where a page ended. */
  private record HistoryCursor(int segment, Instant createdAt, long id, int attempt, long batch) {

    static HistoryCursor of(Record row) {
      return new HistoryCursor(
          row.get(SEGMENT),
          row.get(CREATED_AT).toInstant(),
          row.get(ID),
          row.get(ATTEMPT),
          row.get(BATCH_ID));
    }

    static HistoryCursor parse(String text) {
      String[] parts = text.split("_", -1);
      try {
        if (parts.length == 5) {
          return new HistoryCursor(
              Integer.parseInt(parts[0]),
              Instant.parse(parts[1]),
              Long.parseLong(parts[2]),
              Integer.parseInt(parts[3]),
              Long.parseLong(parts[4]));
        }
      } catch (NumberFormatException | java.time.DateTimeException e) {
        throw malformed(text, e);
      }
      throw malformed(text, null);
    }

    private static IllegalArgumentException malformed(String text, @Nullable Exception cause) {
      return new IllegalArgumentException(
          "cursor '" + text + "' is not one that HistoryPage.nextCursor() returned", cause);
    }

    @Override
    public String toString() {
      return segment + "_" + createdAt + "_" + id + "_" + attempt + "_" + batch;
    }
  }
}
