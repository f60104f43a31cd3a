package dev.rota.history.internal;

import static dev.rota.internal.schema.HistoryColumns.ERROR;
import static dev.rota.internal.schema.HistoryColumns.FINISHED_AT;
import static dev.rota.internal.schema.HistoryColumns.ID;
import static dev.rota.internal.schema.HistoryColumns.STATE;
import static java.util.Comparator.comparingLong;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.splitPart;

import dev.rota.TaskState;
import dev.rota.history.ArchiveUse;
import dev.rota.history.ErrorGroup;
import dev.rota.history.HistoryFilter;
import dev.rota.history.internal.HistoryScan.HistoryRows;
import dev.rota.history.internal.HistoryScan.Sources;
import dev.rota.internal.schema.HistoryColumns;
import dev.rota.internal.tenant.HistoryPlace;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.text.ErrorText;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jooq.Field;
import org.jooq.Record6;

/** Groups a tenant's failed attempts by the text of their errors. */
final class ErrorGroupReader {

  /** The error text without the frames, which may differ where the error is the same. */
  private static final Field<String> SAID = splitPart(ERROR, inline(ErrorText.FRAMES), inline(1));

  private final Sources sources;
  private final TenantRef tenant;

  ErrorGroupReader(Sources sources, TenantRef tenant) {
    this.sources = sources;
    this.tenant = tenant;
  }

  List<ErrorGroup> read(HistoryFilter filter, Consumer<ArchiveUse> archive) {
    if (filter.cursor().isPresent()) {
      throw new IllegalArgumentException(
          "the filter has a cursor; error groups have no pages, leave out after(cursor)");
    }
    return HistoryScan.perform(sources, tenant, scan -> read(scan, filter), archive);
  }

  /**
   * Reads the groups. A single source is sorted and limited by its database; the groups of several
   * are merged here.
   */
  private static List<ErrorGroup> read(HistoryScan scan, HistoryFilter filter) {
    List<HistoryPlace> places = scan.placesTogether(filter);
    boolean alone = places.size() == 1;
    Map<String, ErrorGroup> groups = new HashMap<>();
    for (HistoryPlace place : places) {
      scan.<List<ErrorGroup>>read(place, rows -> read(rows, filter, alone))
          .orElse(List.of())
          .forEach(group -> groups.merge(group.error(), group, ErrorGroupReader::together));
    }
    return groups.values().stream()
        .sorted(comparingLong(ErrorGroup::attempts).reversed().thenComparing(ErrorGroup::error))
        .limit(filter.limit())
        .toList();
  }

  private static List<ErrorGroup> read(HistoryRows history, HistoryFilter filter, boolean cut) {
    var groups =
        history
            .dsl()
            .select(
                SAID,
                count(),
                count().filterWhere(STATE.eq(HistoryColumns.label(TaskState.DEAD))),
                min(FINISHED_AT),
                max(FINISHED_AT),
                max(ID))
            .from(history.table())
            .where(history.condition(), ERROR.isNotNull(), HistoryReader.condition(filter))
            .groupBy(SAID);
    return (cut ? groups.orderBy(count().desc(), SAID).limit(filter.limit()) : groups)
        .fetch(ErrorGroupReader::group);
  }

  private static ErrorGroup together(ErrorGroup one, ErrorGroup other) {
    ErrorGroup.Period a = one.period();
    ErrorGroup.Period b = other.period();
    return new ErrorGroup(
        one.error(),
        one.attempts() + other.attempts(),
        one.dead() + other.dead(),
        new ErrorGroup.Period(
            a.first().isBefore(b.first()) ? a.first() : b.first(),
            a.last().isAfter(b.last()) ? a.last() : b.last()),
        Math.max(one.exampleTaskId(), other.exampleTaskId()));
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
