package dev.rota.history.internal;

import static dev.rota.internal.schema.HistoryColumns.ATTEMPT;
import static dev.rota.internal.schema.HistoryColumns.BATCH_ID;
import static dev.rota.internal.schema.HistoryColumns.CREATED_AT;
import static dev.rota.internal.schema.HistoryColumns.ID;
import static dev.rota.internal.schema.HistoryColumns.KIND;
import static dev.rota.internal.schema.HistoryColumns.SEGMENT;
import static dev.rota.internal.schema.HistoryColumns.STATE;
import static org.jooq.impl.DSL.row;

import dev.rota.Attempt;
import dev.rota.history.ArchiveUse;
import dev.rota.history.HistoryFilter;
import dev.rota.history.HistoryPage;
import dev.rota.history.internal.HistoryScan.Sources;
import dev.rota.internal.schema.HistoryColumns;
import dev.rota.internal.tenant.HistoryPlace;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.text.SafeText;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jooq.Condition;
import org.jooq.Record;
import org.jooq.impl.DSL;

/**
 * Reads pages of a tenant's history from its newest segment to its oldest, in the database or in
 * the archive. A page opens no more segments than it needs.
 */
public final class HistoryReader {

  /** Behind all times of tasks, and within those of the database. */
  private static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

  private final Sources sources;
  private final TenantRef tenant;

  public HistoryReader(Sources sources, TenantRef tenant) {
    this.sources = sources;
    this.tenant = tenant;
  }

  public HistoryPage page(HistoryFilter filter) {
    Optional<HistoryCursor> cursor = filter.cursor().map(HistoryCursor::parse);
    return HistoryScan.perform(sources, tenant, scan -> page(scan, filter, cursor));
  }

  /** Reads a page out of one archived file, the newest one from the cursor on. */
  HistoryPage pageOfOneFile(HistoryFilter filter) {
    Optional<HistoryCursor> cursor = filter.cursor().map(HistoryCursor::parse);
    return HistoryScan.perform(sources, tenant, scan -> pageOfOneFile(scan, filter, cursor));
  }

  /** A cursor in front of all rows of a segment. */
  static String beginOf(int segment) {
    return new HistoryCursor(segment, LATEST, Long.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE)
        .toString();
  }

  private static HistoryPage page(
      HistoryScan scan, HistoryFilter filter, Optional<HistoryCursor> cursor) {
    List<Record> rows = new ArrayList<>();
    for (HistoryPlace place : places(scan, filter, cursor)) {
      rows.addAll(read(scan, place, filter, cursor, filter.limit() + 1 - rows.size()));
      if (rows.size() > filter.limit()) {
        break;
      }
    }
    return page(rows, filter.limit(), scan.archiveUse());
  }

  private static HistoryPage pageOfOneFile(
      HistoryScan scan, HistoryFilter filter, Optional<HistoryCursor> cursor) {
    List<HistoryPlace> places =
        places(scan, filter, cursor).stream()
            .filter(place -> place.archived().isPresent())
            .toList();
    if (places.isEmpty()) {
      return page(List.of(), filter.limit(), scan.archiveUse());
    }
    List<Record> rows = read(scan, places.get(0), filter, cursor, filter.limit() + 1);
    HistoryPage page = page(rows, filter.limit(), scan.archiveUse());
    return page.nextCursor().isPresent() || places.size() == 1
        ? page
        : new HistoryPage(
            page.attempts(), Optional.of(beginOf(places.get(1).segments().get(0))), page.archive());
  }

  private static List<HistoryPlace> places(
      HistoryScan scan, HistoryFilter filter, Optional<HistoryCursor> cursor) {
    return scan.places(filter, cursor.map(HistoryCursor::segment).orElse(Integer.MAX_VALUE));
  }

  private static List<Record> read(
      HistoryScan scan,
      HistoryPlace place,
      HistoryFilter filter,
      Optional<HistoryCursor> cursor,
      int limit) {
    boolean isWithin = cursor.isPresent() && place.segments().contains(cursor.get().segment());
    Condition condition =
        isWithin ? condition(filter).and(behind(cursor.get())) : condition(filter);
    return read(scan, place, condition, limit);
  }

  private static HistoryPage page(List<Record> rows, int limit, ArchiveUse archive) {
    List<Attempt> attempts = rows.stream().limit(limit).map(HistoryColumns::read).toList();
    Optional<String> next =
        rows.size() > limit
            ? Optional.of(HistoryCursor.of(rows.get(limit - 1)).toString())
            : Optional.empty();
    return new HistoryPage(attempts, next, archive);
  }

  private static List<Record> read(
      HistoryScan scan, HistoryPlace place, Condition condition, int limit) {
    return scan.<List<Record>>read(
            place,
            history ->
                history
                    .dsl()
                    .select(HistoryColumns.OF_PAGE)
                    .from(history.table())
                    .where(history.condition(), condition)
                    .orderBy(CREATED_AT.desc(), ID.desc(), ATTEMPT.desc(), BATCH_ID.desc())
                    .limit(limit)
                    .fetch())
        .orElse(List.of());
  }

  /** Translates a filter into a condition on attempts. */
  static Condition condition(HistoryFilter filter) {
    List<String> labels = filter.states().stream().map(HistoryColumns::label).toList();
    Condition condition = STATE.in(labels);
    condition =
        filter.taskId().isEmpty() ? condition : condition.and(ID.eq(filter.taskId().getAsLong()));
    filter.kind().ifPresent(kind -> TaskValidator.checkSought("kind", kind));
    condition = condition.and(filter.kind().map(KIND::eq).orElseGet(DSL::noCondition));
    condition =
        condition.and(
            filter.createdFrom().map(t -> CREATED_AT.ge(utc(t))).orElseGet(DSL::noCondition));
    return condition.and(
        filter.createdBefore().map(t -> CREATED_AT.lt(utc(t))).orElseGet(DSL::noCondition));
  }

  /**
   * The condition for rows behind the cursor. A task that was handed back has several rows of one
   * attempt, each of another batch.
   */
  private static Condition behind(HistoryCursor cursor) {
    return row(CREATED_AT, ID, ATTEMPT, BATCH_ID)
        .lt(row(utc(cursor.createdAt()), cursor.id(), cursor.attempt(), cursor.batch()));
  }

  private static OffsetDateTime utc(Instant time) {
    return time.atOffset(ZoneOffset.UTC);
  }

  /** The position at which a page ended. */
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
        throw malformed(text);
      }
      throw malformed(text);
    }

    private static IllegalArgumentException malformed(String text) {
      return new IllegalArgumentException(
          "cursor '" + SafeText.of(text) + "' is not one that HistoryPage.nextCursor() returned");
    }

    @Override
    public String toString() {
      return segment + "_" + createdAt + "_" + id + "_" + attempt + "_" + batch;
    }
  }
}
