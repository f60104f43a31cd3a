package dev.rota.history.internal;

import dev.rota.Attempt;
import dev.rota.TaskState;
import dev.rota.history.HistoryFilter;
import dev.rota.history.internal.RecentSegments.Segment;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.BoundStatement.RowId;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.schema.HistoryColumns;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantRef;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/** Reads attempts that match a filter from places of segments. Used by one thread. */
final class RecentRows {

  private static final Sql READ_RECENT_ATTEMPTS = Sql.named("read_recent_attempts");
  private static final Sql READ_RECENT_EXCEPTIONS = Sql.named("read_recent_exceptions");
  private static final Sql READ_BATCHES_OF_ATTEMPTS = Sql.named("read_batches_of_attempts");
  private static final Sql READ_PRIORITIES = Sql.named("read_priorities");
  private static final Sql READ_AGE_OF_BLOCK = Sql.named("read_age_of_block");

  /** So many rows are found by an index sooner than by reading blocks. */
  private static final long FEW = 5_000;

  private final Session session;
  private final RegistryTables tables;
  private final TenantRef tenant;
  private final Set<TaskState> states;
  private final List<Short> codes;
  private final List<@Nullable Object> conditions;
  private final List<Integer> priorities;

  /**
   * What a step found.
   *
   * @param last the place of the last row read, if there may be more before it
   */
  record Found(List<Attempt> attempts, Optional<RowId> last) {}

  /** A row of a segment, whose batch tells the rest. */
  private record Row(RowId place, short state, long batch, Record record) {}

  /** The times of a batch. */
  private record BatchTimes(@Nullable OffsetDateTime claimed, @Nullable OffsetDateTime closed) {}

  RecentRows(Session session, RegistryTables tables, TenantRef tenant, HistoryFilter filter)
      throws SQLException {
    this.session = session;
    this.tables = tables;
    this.tenant = tenant;
    this.states = filter.states();
    this.codes = codes(states);
    filter.kind().ifPresent(kind -> TaskValidator.checkSought("kind", kind));
    this.conditions = conditions(filter, codes);
    this.priorities = priorities();
  }

  private List<Integer> priorities() throws SQLException {
    List<Integer[]> found =
        session.run(
            BoundStatement.query(
                READ_PRIORITIES.call(),
                READ_PRIORITIES.on("tenants", tables.tenants()),
                row -> (Integer[]) row.getArray(1).getArray(),
                tenant.number()));
    return found.isEmpty() ? List.of() : List.of(found.get(0));
  }

  /** The codes of rows that may be in these states; a row of an open or closed batch has one. */
  private static List<Short> codes(Set<TaskState> states) {
    List<Short> codes = new ArrayList<>();
    for (AttemptStateCode code : AttemptStateCode.values()) {
      boolean asBatch = code == AttemptStateCode.AS_BATCH && states.contains(TaskState.DONE);
      if (asBatch || states.contains(HistoryColumns.state(code.label()))) {
        codes.add(code.code());
      }
    }
    return codes;
  }

  private static List<@Nullable Object> conditions(HistoryFilter filter, List<Short> codes) {
    @Nullable String kind = filter.kind().orElse(null);
    OptionalLong id = filter.taskId();
    @Nullable Long task = id.isPresent() ? id.getAsLong() : null;
    @Nullable String from = filter.createdFrom().map(Instant::toString).orElse(null);
    @Nullable String before = filter.createdBefore().map(Instant::toString).orElse(null);
    return Arrays.asList(
        codes.toArray(Short[]::new), kind, kind, task, task, from, from, before, before);
  }

  /** Whether an index finds all rows of a segment that the filter may want. */
  boolean hasFewExceptions(Segment segment) {
    long exceptions = segment.rows().exceptions();
    return codes.stream().allMatch(code -> code > AttemptStateCode.DONE.code())
        && exceptions >= 0
        && exceptions <= FEW;
  }

  /** Reads so many of a range, the last ones first; the whole range where an index finds them. */
  Found read(Segment segment, RowId from, RowId behind, int limit) throws SQLException {
    return hasFewExceptions(segment)
        ? read(READ_RECENT_EXCEPTIONS, segment, limit, List.of(behind))
        : read(READ_RECENT_ATTEMPTS, segment, limit, List.of(from, behind));
  }

  private Found read(Sql statement, Segment segment, int limit, List<RowId> range)
      throws SQLException {
    List<@Nullable Object> binds = new ArrayList<>(range);
    binds.addAll(conditions);
    binds.add(limit);
    List<Row> rows =
        session.run(
            BoundStatement.query(
                statement.call(),
                statement.on("segment", segment.table()),
                row -> row(row, segment.seq()),
                binds.toArray()));
    boolean mayBeMore = rows.size() == limit;
    return new Found(
        attempts(rows),
        mayBeMore ? Optional.of(rows.get(rows.size() - 1).place) : Optional.empty());
  }

  private Row row(ResultSet row, int segment) throws SQLException {
    Record record = session.dsl().newRecord(HistoryColumns.OF_PAGE);
    record.set(HistoryColumns.ID, row.getObject(2, Long.class));
    record.set(HistoryColumns.ATTEMPT, row.getObject(4, Integer.class));
    record.set(HistoryColumns.KIND, row.getString(5));
    record.set(HistoryColumns.PAYLOAD, row.getString(6));
    record.set(HistoryColumns.HEADERS, row.getString(7));
    record.set(HistoryColumns.KEY, row.getString(8));
    record.set(HistoryColumns.PRIORITY, priority(row.getInt(9)));
    record.set(HistoryColumns.CREATED_AT, row.getObject(10, OffsetDateTime.class));
    record.set(HistoryColumns.FINISHED_AT, row.getObject(11, OffsetDateTime.class));
    record.set(HistoryColumns.ERROR, row.getString(12));
    record.set(HistoryColumns.SEGMENT, segment);
    return new Row(RowId.parse(row.getString(1)), row.getShort(3), row.getLong(13), record);
  }

  private int priority(int lane) {
    return lane >= 0 && lane < priorities.size() ? priorities.get(lane) : 0;
  }

  private List<Attempt> attempts(List<Row> rows) throws SQLException {
    Map<Long, BatchTimes> batches = batches(rows);
    List<Attempt> attempts = new ArrayList<>();
    for (Row row : rows) {
      BatchTimes batch = batches.get(row.batch);
      TaskState state = state(row.state, batch);
      if (states.contains(state)) {
        complete(row.record, state, batch);
        attempts.add(HistoryColumns.read(row.record));
      }
    }
    return attempts;
  }

  /** A segment of the ledger is dropped only when all its batches are closed. */
  private static TaskState state(short code, @Nullable BatchTimes batch) {
    if (code == AttemptStateCode.AS_BATCH.code()) {
      return batch != null && batch.closed == null ? TaskState.RUNNING : TaskState.DONE;
    }
    for (AttemptStateCode each : AttemptStateCode.values()) {
      if (each.code() == code) {
        return HistoryColumns.state(each.label());
      }
    }
    return TaskState.DONE;
  }

  private static void complete(Record record, TaskState state, @Nullable BatchTimes batch) {
    record.set(HistoryColumns.STATE, HistoryColumns.label(state));
    if (batch != null) {
      record.set(HistoryColumns.CLAIMED_AT, batch.claimed);
      if (record.get(HistoryColumns.FINISHED_AT) == null) {
        record.set(HistoryColumns.FINISHED_AT, batch.closed);
      }
    }
  }

  private Map<Long, BatchTimes> batches(List<Row> rows) throws SQLException {
    long[] ids = rows.stream().mapToLong(Row::batch).distinct().toArray();
    Map<Long, BatchTimes> found = new HashMap<>();
    if (ids.length > 0) {
      session.run(
          BoundStatement.query(
              READ_BATCHES_OF_ATTEMPTS.call(),
              READ_BATCHES_OF_ATTEMPTS.on("ledger", tables.ledgerView()),
              row -> {
                BatchTimes times =
                    new BatchTimes(
                        row.getObject(2, OffsetDateTime.class),
                        row.getObject(3, OffsetDateTime.class));
                return found.put(row.getLong(1), times) == null;
              },
              (Object) ids));
    }
    return found;
  }

  /** The time of enqueue of a task in the block of a place. */
  Optional<Instant> age(Segment segment, RowId place) throws SQLException {
    List<Optional<Instant>> found =
        session.run(
            BoundStatement.query(
                READ_AGE_OF_BLOCK.call(),
                READ_AGE_OF_BLOCK.on("segment", segment.table()),
                row ->
                    Optional.ofNullable(row.getObject(1, OffsetDateTime.class))
                        .map(OffsetDateTime::toInstant),
                RowId.startOf(place.block()),
                RowId.startOf(place.block() + 1)));
    return found.get(0);
  }
}
