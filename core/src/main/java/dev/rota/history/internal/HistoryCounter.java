package dev.rota.history.internal;

import static dev.rota.internal.schema.HistoryColumns.CREATED_AT;
import static dev.rota.internal.schema.HistoryColumns.KIND;
import static dev.rota.internal.schema.HistoryColumns.STATE;
import static java.util.Comparator.comparing;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.epoch;
import static org.jooq.impl.DSL.floor;

import dev.rota.TaskState;
import dev.rota.history.HistoryCounts;
import dev.rota.history.HistoryFilter;
import dev.rota.history.internal.HistoryScan.HistoryRows;
import dev.rota.history.internal.HistoryScan.Sources;
import dev.rota.internal.schema.HistoryColumns;
import dev.rota.internal.tenant.HistoryPlace;
import dev.rota.internal.tenant.TenantRef;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/** Counts a tenant's attempts, in the database and in the archive. */
final class HistoryCounter {

  private static final int SECONDS_OF_HOUR = 3_600;

  /** Whole hours since 1970, which do not depend on the time zone of a session. */
  private static final Field<Long> HOUR =
      floor(epoch(CREATED_AT).div(DSL.inline(SECONDS_OF_HOUR))).cast(SQLDataType.BIGINT);

  private final Sources sources;
  private final TenantRef tenant;

  private record Group(Optional<Instant> hour, Optional<String> kind, Optional<TaskState> state) {

    static final Comparator<Group> ORDER =
        comparing((Group group) -> group.hour().orElse(Instant.EPOCH))
            .thenComparing(group -> group.kind().orElse(""))
            .thenComparing(group -> group.state().map(TaskState::ordinal).orElse(0));
  }

  HistoryCounter(Sources sources, TenantRef tenant) {
    this.sources = sources;
    this.tenant = tenant;
  }

  HistoryCounts count(HistoryFilter filter, Set<HistoryCounts.Dimension> by) {
    if (filter.cursor().isPresent()) {
      throw new IllegalArgumentException(
          "the filter has a cursor; counts have no pages, leave out after(cursor)");
    }
    return HistoryScan.perform(sources, tenant, scan -> count(scan, filter, by));
  }

  private static HistoryCounts count(
      HistoryScan scan, HistoryFilter filter, Set<HistoryCounts.Dimension> by) {
    Map<Group, Long> sums = new HashMap<>();
    for (HistoryPlace place : scan.placesTogether(filter)) {
      scan.<Map<Group, Long>>read(place, rows -> count(rows, filter, by))
          .orElse(Map.of())
          .forEach((group, attempts) -> sums.merge(group, attempts, Long::sum));
    }
    List<HistoryCounts.Count> counts =
        sums.entrySet().stream()
            .sorted(Map.Entry.comparingByKey(Group.ORDER))
            .map(
                entry ->
                    new HistoryCounts.Count(
                        entry.getKey().hour(),
                        entry.getKey().kind(),
                        entry.getKey().state(),
                        entry.getValue()))
            .toList();
    return new HistoryCounts(counts, scan.archiveUse());
  }

  private static Map<Group, Long> count(
      HistoryRows history, HistoryFilter filter, Set<HistoryCounts.Dimension> by) {
    Field<Long> hour =
        by.contains(HistoryCounts.Dimension.HOUR) ? HOUR : castNull(SQLDataType.BIGINT);
    Field<String> kind =
        by.contains(HistoryCounts.Dimension.KIND) ? KIND : castNull(SQLDataType.CLOB);
    Field<String> state =
        by.contains(HistoryCounts.Dimension.STATE) ? STATE : castNull(SQLDataType.CLOB);
    List<Field<?>> keys = new ArrayList<>(List.of(hour.as("h"), kind.as("k"), state.as("s")));
    Map<Group, Long> counts = new HashMap<>();
    history
        .dsl()
        .select(keys)
        .select(DSL.count())
        .from(history.table())
        .where(history.condition(), HistoryReader.condition(filter))
        .groupBy(hour, kind, state)
        .forEach(
            row ->
                counts.put(
                    new Group(
                        Optional.ofNullable(row.get(0, Long.class))
                            .map(hours -> Instant.ofEpochSecond(hours * SECONDS_OF_HOUR)),
                        Optional.ofNullable(row.get(1, String.class)),
                        Optional.ofNullable(row.get(2, String.class)).map(HistoryColumns::state)),
                    row.get(3, Long.class)));
    return counts;
  }
}
