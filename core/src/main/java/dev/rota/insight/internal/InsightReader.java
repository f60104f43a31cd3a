package dev.rota.insight.internal;

import dev.rota.history.HourlyStatistics;
import dev.rota.history.internal.StatisticsReader;
import dev.rota.insight.ErrorActivity;
import dev.rota.insight.ErrorQuery;
import dev.rota.insight.KindActivity;
import dev.rota.insight.RunningBatch;
import dev.rota.insight.ScheduleEntry;
import dev.rota.insight.ScheduleQuery;
import dev.rota.insight.TenantErrors;
import dev.rota.insight.TenantsOfKind;
import dev.rota.insight.WorkerActivity;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryCalls;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.ProcessLease;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.text.SafeText;
import dev.rota.schedule.internal.ScheduleRow;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Reads tables of all tenants, each method within a transaction of its caller. Thread-safe. */
final class InsightReader {

  private static final Sql SUM_KINDS = Sql.named("sum_kinds");
  private static final Sql LIST_TENANTS_OF_KIND = Sql.named("list_tenants_of_kind");
  private static final Sql LIST_PROCESSES = Sql.named("list_processes");
  private static final Sql LIST_RUNNING_BATCHES = Sql.named("list_running_batches");
  private static final Sql LIST_ERRORS = Sql.named("list_errors");
  private static final Sql LIST_ERRORS_OF_TENANT = Sql.named("list_errors_of_tenant");
  private static final Sql LIST_TENANTS_WITH_ERROR = Sql.named("list_tenants_with_error");
  private static final Sql LIST_SCHEDULES_OF_ALL = Sql.named("list_schedules_of_all");

  /** About how many rows of tenants and hours one read takes. */
  private static final long MOST_ROWS = 10_000;

  private final RegistryCalls calls;

  InsightReader(RegistryTables tables) {
    this.calls = new RegistryCalls(tables);
  }

  List<KindActivity> kinds(Session session, Instant from, Instant to) throws SQLException {
    Map<String, KindActivity> kinds = new LinkedHashMap<>();
    for (HourlyStatistics hour : hours(session, null, from, to)) {
      KindActivity one =
          new KindActivity(hour.kind(), hour.ended(), hour.running(), hour.waiting());
      kinds.merge(hour.kind(), one, InsightReader::plus);
    }
    return kinds.values().stream()
        .sorted(
            Comparator.comparingLong((KindActivity kind) -> -kind.ended().count())
                .thenComparing(KindActivity::kind))
        .toList();
  }

  /** Reads the sums of hours, of one kind or of all. */
  List<HourlyStatistics> hours(Session session, @Nullable String kind, Instant from, Instant to)
      throws SQLException {
    return calls.run(
        session, SUM_KINDS, StatisticsReader::read, from.toString(), to.toString(), kind, kind);
  }

  private static KindActivity plus(KindActivity one, KindActivity other) {
    return new KindActivity(
        one.kind(),
        one.ended().plus(other.ended()),
        one.running().plus(other.running()),
        one.waiting().plus(other.waiting()));
  }

  TenantsOfKind tenantsOf(Session session, String kind, Instant from, Instant to, int limit)
      throws SQLException {
    List<TenantsOfKind> rows =
        calls.run(
            session,
            LIST_TENANTS_OF_KIND,
            InsightReader::tenantOfKind,
            kind,
            time(from),
            time(to),
            kind,
            MOST_ROWS,
            kind,
            limit);
    return rows.isEmpty()
        ? new TenantsOfKind(Optional.empty(), 0, List.of())
        : new TenantsOfKind(
            rows.get(0).since(),
            rows.get(0).ended(),
            rows.stream().flatMap(row -> row.tenants().stream()).toList());
  }

  private static TenantsOfKind tenantOfKind(ResultSet row) throws SQLException {
    HourlyStatistics.Ended ended =
        new HourlyStatistics.Ended(row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5));
    return new TenantsOfKind(
        Optional.of(time(row, 7)),
        row.getLong(6),
        List.of(new TenantsOfKind.Use(row.getString(1), ended)));
  }

  List<WorkerActivity> workers(Session session) throws SQLException {
    return calls.run(session, LIST_PROCESSES, InsightReader::worker);
  }

  private static WorkerActivity worker(ResultSet row) throws SQLException {
    List<String> pools = texts(row, 9).orElse(List.of(ProcessLease.STANDARD_POOL));
    return new WorkerActivity(
        row.getLong(1),
        row.getString(2),
        new WorkerActivity.Heartbeat(
            time(row, 3), row.getBoolean(4), micros(row, 5), micros(row, 6)),
        new WorkerActivity.Holds(row.getLong(7), row.getLong(8)),
        new WorkerActivity.Serves(pools, texts(row, 10), texts(row, 11).orElse(List.of())));
  }

  private static Optional<List<String>> texts(ResultSet row, int column) throws SQLException {
    @Nullable Array texts = row.getArray(column);
    return texts == null ? Optional.empty() : Optional.of(List.of((String[]) texts.getArray()));
  }

  List<RunningBatch> running(Session session, int limit) throws SQLException {
    return calls.run(
        session,
        LIST_RUNNING_BATCHES,
        row ->
            new RunningBatch(
                row.getLong(1), row.getString(2), row.getLong(3), row.getInt(4), micros(row, 5)),
        limit);
  }

  /**
   * Reads errors.
   *
   * @param tenant the number of the tenant of the query; empty for all
   */
  List<ErrorActivity> errors(Session session, ErrorQuery query, OptionalInt tenant)
      throws SQLException {
    OffsetDateTime from = time(query.from());
    OffsetDateTime to = time(query.to());
    @Nullable String kind = query.kind().orElse(null);
    return tenant.isPresent()
        ? calls.run(
            session,
            LIST_ERRORS_OF_TENANT,
            row -> error(row, query.tenant()),
            tenant.getAsInt(),
            from,
            to,
            kind,
            kind,
            query.limit())
        : calls.run(
            session,
            LIST_ERRORS,
            row -> error(row, Optional.ofNullable(row.getString(7))),
            from,
            to,
            kind,
            kind,
            query.limit());
  }

  List<TenantErrors> tenantsWith(Session session, long fingerprint, ErrorQuery query)
      throws SQLException {
    @Nullable String kind = query.kind().orElse(null);
    @Nullable String tenant = query.tenant().orElse(null);
    return calls.run(
        session,
        LIST_TENANTS_WITH_ERROR,
        row ->
            new TenantErrors(
                row.getString(1), new ErrorActivity.Attempts(row.getLong(2), row.getLong(3))),
        fingerprint,
        time(query.from()),
        time(query.to()),
        kind,
        kind,
        tenant,
        tenant,
        query.limit());
  }

  private static ErrorActivity error(ResultSet row, Optional<String> tenant) throws SQLException {
    return new ErrorActivity(
        row.getLong(1),
        row.getString(2),
        row.getString(3),
        new ErrorActivity.Attempts(row.getLong(4), row.getLong(5)),
        new ErrorActivity.Last(time(row, 6), tenant, row.getLong(8)));
  }

  List<ScheduleEntry> schedules(Session session, ScheduleQuery query) throws SQLException {
    @Nullable String search = query.search().map(SafeText::whole).orElse(null);
    @Nullable String tenant = query.after().map(ScheduleQuery.Position::tenant).orElse(null);
    @Nullable String name = query.after().map(ScheduleQuery.Position::name).orElse(null);
    return calls.run(
        session,
        LIST_SCHEDULES_OF_ALL,
        row -> new ScheduleEntry(row.getString(23), ScheduleRow.read(row).info()),
        search,
        search,
        search,
        tenant,
        tenant,
        name,
        query.limit());
  }

  /** A value for a condition on many rows: the server would parse a text for each of them. */
  private static OffsetDateTime time(Instant at) {
    return at.atOffset(ZoneOffset.UTC);
  }

  private static Instant time(ResultSet row, int column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  private static Duration micros(ResultSet row, int column) throws SQLException {
    return Duration.of(row.getLong(column), ChronoUnit.MICROS);
  }
}
