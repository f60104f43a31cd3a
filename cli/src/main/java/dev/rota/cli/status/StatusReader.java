package dev.rota.cli.status;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.table;

import dev.rota.UnknownTenantException;
import dev.rota.cli.common.SetAside;
import dev.rota.cli.status.TenantStatus.Depth;
import dev.rota.cli.status.TenantStatus.Identity;
import dev.rota.cli.status.TenantStatus.Rotation;
import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/** Reads where the tenants stand, at a cost that fits a system under load. */
final class StatusReader {

  private static final int TIMEOUT_SECONDS = 10;
  private static final int MOST_TROUBLES = 10;

  private static final Field<Integer> NUMBER = column("number", Integer.class);
  private static final Field<String> NAME = column("name", String.class);
  private static final Field<Integer> SEQ = column("seq", Integer.class);
  private static final Field<Integer> TENANT = column("tenant", Integer.class);
  private static final Field<String> TROUBLE = column("trouble", String.class);
  private static final Field<Boolean> CLOSED = column("closed", Boolean.class);
  private static final Field<OffsetDateTime> ROTATED_AT =
      column("rotated_at", OffsetDateTime.class);
  private static final Field<Long> ROTATIONS = column("rotations", Long.class);
  private static final Field<Long> POSTPONED = column("postponed", Long.class);
  private static final Field<Long> ROWS = column("rows", Long.class);
  private static final Field<Long> LAST_ID = column("last_id", Long.class);
  private static final Field<OffsetDateTime> LAST_AT = column("last_at", OffsetDateTime.class);
  private static final Field<String> REASON = column("postponed_reason", String.class);

  private final DSLContext context;
  private final String schema;

  StatusReader(DSLContext context, String schema) {
    this.context = context;
    this.schema = schema;
  }

  /** What hinders the archive, the oldest first; of one tenant or of all. */
  List<String> archiveTroubles(@Nullable String tenant) {
    return Stream.concat(
            troublesWithSegments(tenant).stream(), troublesAfterErasures(tenant).stream())
        .limit(MOST_TROUBLES)
        .toList();
  }

  /** Rows that no worker could run, by tenant and reason; of one tenant or of all. */
  List<SetAside> setAside(@Nullable String tenant) {
    return context
        .select(NAME, ROWS, LAST_ID, LAST_AT, column("reason", String.class))
        .from(table(name(schema, "set_aside")).as("a"))
        .join(table(name(schema, "tenant")).as("t"))
        .on(field(name("t", "number")).eq(field(name("a", "tenant"))))
        .where(tenant == null ? noCondition() : NAME.eq(tenant))
        .orderBy(LAST_AT.desc())
        .limit(MOST_TROUBLES)
        .queryTimeout(TIMEOUT_SECONDS)
        .fetch(
            row ->
                new SetAside(
                    row.value1(),
                    row.value2(),
                    row.value3(),
                    row.value4().toInstant(),
                    row.value5()));
  }

  private List<String> troublesWithSegments(@Nullable String tenant) {
    return context
        .select(SEQ, TROUBLE, NAME, TENANT)
        .from(table(name(schema, "archive")).as("a"))
        .leftJoin(table(name(schema, "tenant")).as("t"))
        .on(field(name("t", "number")).eq(field(name("a", "tenant"))))
        .where(TROUBLE.isNotNull(), tenant == null ? noCondition() : NAME.eq(tenant))
        .orderBy(field(name("begun_at")))
        .limit(MOST_TROUBLES)
        .fetch(row -> "segment " + row.value1() + " of " + label(row) + ": " + row.value2());
  }

  private static String label(Record row) {
    String name = row.get(NAME);
    return name == null ? "tenant " + row.get(TENANT) + ", which is gone" : "tenant '" + name + "'";
  }

  private List<String> troublesAfterErasures(@Nullable String tenant) {
    return context
        .select(NAME, TENANT, TROUBLE)
        .from(table(name(schema, "erasure")))
        .where(TROUBLE.isNotNull(), tenant == null ? noCondition() : NAME.eq(tenant))
        .orderBy(field(name("finished_at")))
        .limit(MOST_TROUBLES)
        .fetch(
            row ->
                "late objects of erased tenant '%s' (%d): %s"
                    .formatted(row.value1(), row.value2(), row.value3()));
  }

  /** All tenants by number, or the one of this name. */
  List<TenantStatus> read(@Nullable String tenant) {
    List<TenantStatus> registered = registered(tenant);
    if (tenant != null && registered.isEmpty()) {
      throw new UnknownTenantException("no tenant is called " + tenant + "; see rota tenant list");
    }
    Map<Integer, Long> running = running();
    DepthReader depths = new DepthReader(context, schema);
    // The catalog is read once for all; only tenants that may have tasks are then looked at.
    Map<Integer, Backlog> backlogs =
        depths.backlogs(registered.size() == 1 ? registered.get(0).identity().number() : null);
    return registered.stream()
        .map(status -> status.withDepth(depth(status, depths, backlogs, running)))
        .toList();
  }

  /** How many workers have sent a heartbeat within their lease. */
  int liveWorkers() {
    return context
        .selectCount()
        .from(table(name(schema, "worker")))
        .where("heartbeat_at > now() - lease")
        .queryTimeout(TIMEOUT_SECONDS)
        .fetchSingle()
        .value1();
  }

  private List<TenantStatus> registered(@Nullable String tenant) {
    Condition chosen = tenant == null ? noCondition() : NAME.eq(tenant);
    return context
        .select(NUMBER, NAME, CLOSED, ROTATED_AT, ROTATIONS, POSTPONED, REASON)
        .from(table(name(schema, "tenant")))
        .where(chosen)
        .orderBy(NUMBER)
        .queryTimeout(TIMEOUT_SECONDS)
        .fetch(StatusReader::status);
  }

  private static TenantStatus status(Record row) {
    long rotations = row.get(ROTATIONS);
    return new TenantStatus(
        new Identity(row.get(NUMBER), row.get(NAME), row.get(CLOSED)),
        Depth.NOTHING,
        new Rotation(
            // Until the first rotation this column tells when the tenant was registered.
            rotations == 0 ? null : row.get(ROTATED_AT).toInstant(),
            rotations,
            row.get(POSTPONED),
            row.get(REASON)));
  }

  private Map<Integer, Long> running() {
    Field<BigDecimal> tasks = sum(column("tasks", Integer.class));
    Map<Integer, Long> running = new HashMap<>();
    context
        .select(TENANT, tasks)
        .from(table(name(schema, "task_batch")))
        .where(column("closed_at", OffsetDateTime.class).isNull())
        .groupBy(TENANT)
        .queryTimeout(TIMEOUT_SECONDS)
        .forEach(row -> running.put(row.value1(), row.value2().longValue()));
    return running;
  }

  private static Depth depth(
      TenantStatus status,
      DepthReader depths,
      Map<Integer, Backlog> backlogs,
      Map<Integer, Long> running) {
    int number = status.identity().number();
    Backlog backlog = backlogs.get(number);
    Depth depth = backlog == null ? Depth.NOTHING : depths.depth(backlog);
    return depth.withRunning(running.getOrDefault(number, 0L));
  }

  private static <T> Field<T> column(String column, Class<T> type) {
    return field(name(column), type);
  }
}
