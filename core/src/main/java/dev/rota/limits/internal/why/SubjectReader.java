package dev.rota.limits.internal.why;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.BriefLook;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.limits.internal.why.Subject.Backlog;
import dev.rota.limits.internal.why.Subject.Delayed;
import dev.rota.limits.internal.why.Subject.Others;
import dev.rota.limits.internal.why.Subject.Pending;
import dev.rota.limits.internal.why.Subject.Service;
import dev.rota.limits.internal.why.Subject.State;
import dev.rota.limits.internal.why.Subject.TenantRow;
import dev.rota.limits.internal.why.Subject.WorkerRow;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jooq.Name;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Reads what is there of a tenant: its row, its tasks, and the workers. It counts at most some
 * thousand tasks, and takes the estimates of the server where even that takes too long.
 * Thread-safe.
 */
final class SubjectReader {

  private static final Sql FIND_TENANT = Sql.named("find_tenant_to_explain");
  private static final Sql LIST_TABLES = Sql.named("list_tables_to_explain");
  private static final Sql COUNT_RUNNING = Sql.named("count_running_of_tenant");
  private static final Sql COUNT_PENDING_KINDS = Sql.named("count_pending_kinds");
  private static final Sql COUNT_DELAYED = Sql.named("count_delayed");
  private static final Sql COUNT_BLOCKED = Sql.named("count_blocked");
  private static final Sql COUNT_TAKEN_KEYS = Sql.named("count_taken_keys");
  private static final Sql LIST_WORKERS = Sql.named("list_workers");

  private static final int MOST_ROWS = 10_000;
  private static final int MOST_WORKERS = 1_000;
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final String PURPOSE = "read why tasks do not begin";

  private static final Delayed NONE_DELAYED = new Delayed(0, 0, 0, null);

  private final Database database;
  private final Database counting;
  private final RegistryTables registry;

  SubjectReader(Database database, RegistryTables registry) {
    this.database = database;
    this.counting = database.withLockTimeout(Duration.ofMillis(100)).forReading(PATIENCE);
    this.registry = registry;
  }

  /**
   * What is there without a look into the tables of the tenant.
   *
   * @param tables the tables in which tasks may be, with the estimated number of their rows
   * @param running the tasks in open batches
   */
  private record Facts(
      TenantRow tenant, Map<String, Long> tables, long running, List<WorkerRow> workers) {}

  /**
   * Reads a tenant with its tasks, and the workers; none if there is no tenant of that name. It
   * counts in a transaction of its own, which may take too long or meet a lock.
   */
  Optional<Subject> read(String name, @Nullable String kind) {
    Optional<Facts> facts = database.transaction(PURPOSE, session -> facts(session, name));
    return facts.map(found -> new Subject(found.tenant, kind, backlog(found, kind), found.workers));
  }

  private Optional<Facts> facts(Session session, String name) throws SQLException {
    Optional<TenantRow> tenant = find(session, name);
    if (tenant.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Facts(
            tenant.get(),
            tables(session, tenant.get()),
            running(session, tenant.get()),
            workers(session)));
  }

  private Optional<TenantRow> find(Session session, String name) throws SQLException {
    return session
        .run(
            BoundStatement.query(
                FIND_TENANT.call(),
                FIND_TENANT.on("tenants", registry.tenants(), "erasures", registry.erasures()),
                SubjectReader::tenant,
                name))
        .stream()
        .findFirst();
  }

  private static TenantRow tenant(ResultSet row) throws SQLException {
    OffsetDateTime erasing = row.getObject(7, OffsetDateTime.class);
    return new TenantRow(
        row.getInt(1),
        row.getString(2),
        row.getString(3),
        new State(
            row.getBoolean(4),
            row.getBoolean(5),
            row.getBoolean(6),
            erasing == null ? null : erasing.toInstant()));
  }

  private long running(Session session, TenantRow tenant) throws SQLException {
    return session
        .run(
            BoundStatement.query(
                COUNT_RUNNING.call(),
                COUNT_RUNNING.on("ledger", registry.ledgerView()),
                row -> row.getLong(1),
                tenant.number()))
        .get(0);
  }

  /** The tables in which tasks may be, with the estimated number of their rows. */
  private Map<String, Long> tables(Session session, TenantRow tenant) throws SQLException {
    Map<String, Long> tables = new TreeMap<>();
    session.run(
        BoundStatement.query(
            LIST_TABLES,
            row -> tables.put(row.getString(1), row.getLong(2)) == null,
            registry.tenant(tenant.number()).schema().last()));
    return tables;
  }

  private List<WorkerRow> workers(Session session) throws SQLException {
    return session.run(
        BoundStatement.query(
            LIST_WORKERS.call(),
            LIST_WORKERS.on("workers", registry.workers()),
            row ->
                new WorkerRow(
                    row.getString(1), row.getBoolean(2), row.getDouble(3), Service.read(row, 4)),
            MOST_WORKERS));
  }

  private Backlog backlog(Facts facts, @Nullable String kind) {
    Counter counter = new Counter(registry.tenant(facts.tenant.number()).schema(), kind);
    List<String> tables = List.copyOf(facts.tables.keySet());
    return BriefLook.at(counting, PURPOSE, session -> counter.count(session, tables, facts.running))
        .orElseGet(() -> estimate(facts.tables, facts.running));
  }

  private static Backlog estimate(Map<String, Long> tables, long running) {
    long pending = rows(tables, Counter.SLOT);
    long delayed = rows(tables, Counter.WAIT);
    return new Backlog(
        Map.of(),
        pending,
        false,
        new Delayed(delayed, 0, 0, null),
        new Others(running, rows(tables, Counter.HELD), 0, 0));
  }

  private static long rows(Map<String, Long> tables, String prefix) {
    return tables.entrySet().stream()
        .filter(table -> table.getKey().startsWith(prefix))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  /** Counts the tasks in tables of a schema, of a kind if it is not null. */
  private record Counter(Name schema, @Nullable String kind) {

    private static final String SLOT = "task_init_";
    private static final String WAIT = "task_wait_";
    private static final String HELD = "task_held_";
    private static final String KEYS = "task_key_";

    private record KindCount(String kind, long tasks, Duration oldest) {}

    Backlog count(Session session, List<String> tables, long running) throws SQLException {
      List<List<KindCount>> slots =
          session.runAll(named(tables, SLOT).stream().map(this::pending).toList());
      Map<String, Pending> kinds = new HashMap<>();
      slots.forEach(
          slot -> slot.forEach(count -> kinds.merge(count.kind, of(count), Counter::sum)));
      return new Backlog(
          kinds,
          kinds.values().stream().mapToLong(Pending::tasks).sum(),
          slots.stream().allMatch(Counter::isWhole),
          first(session, named(tables, WAIT).stream().map(this::delayed).toList(), NONE_DELAYED),
          others(session, tables, running));
    }

    private Others others(Session session, List<String> tables, long running) throws SQLException {
      long blocked = first(session, named(tables, HELD).stream().map(this::blocked).toList(), 0L);
      Others none = new Others(running, blocked, 0, 0);
      return first(
          session, named(tables, KEYS).stream().map(keys -> keys(keys, none)).toList(), none);
    }

    private List<Name> named(List<String> tables, String prefix) {
      List<Name> names = new ArrayList<>();
      for (String table : tables) {
        if (table.startsWith(prefix)) {
          names.add(DSL.name(schema.last(), table));
        }
      }
      return names;
    }

    /** Runs the statements, of which there is one or none. */
    private static <T> T first(Session session, List<BoundStatement<List<T>>> counts, T without)
        throws SQLException {
      return counts.isEmpty() ? without : session.run(counts.get(0)).get(0);
    }

    private BoundStatement<List<KindCount>> pending(Name slot) {
      return BoundStatement.query(
          COUNT_PENDING_KINDS.call(),
          COUNT_PENDING_KINDS.on("table", slot),
          row -> new KindCount(row.getString(1), row.getLong(2), seconds(row.getBigDecimal(3))),
          kind,
          kind,
          MOST_ROWS);
    }

    private static Duration seconds(@Nullable BigDecimal seconds) {
      return seconds == null
          ? Duration.ZERO
          : Duration.ofMillis(seconds.movePointRight(3).longValue());
    }

    private static Pending of(KindCount count) {
      return new Pending(count.tasks, count.oldest);
    }

    private static Pending sum(Pending one, Pending other) {
      Duration oldest = one.oldest().compareTo(other.oldest()) < 0 ? other.oldest() : one.oldest();
      return new Pending(one.tasks() + other.tasks(), oldest);
    }

    private static boolean isWhole(List<KindCount> slot) {
      return slot.stream().mapToLong(KindCount::tasks).sum() < MOST_ROWS;
    }

    private BoundStatement<List<Delayed>> delayed(Name waiting) {
      return BoundStatement.query(
          COUNT_DELAYED.call(),
          COUNT_DELAYED.on("waiting", waiting),
          row -> new Delayed(row.getLong(1), row.getLong(2), row.getLong(3), instant(row)),
          kind,
          kind,
          MOST_ROWS);
    }

    private static @Nullable Instant instant(ResultSet row) throws SQLException {
      long micros = row.getLong(4);
      return row.wasNull() ? null : Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    private BoundStatement<List<Long>> blocked(Name held) {
      return BoundStatement.query(
          COUNT_BLOCKED.call(),
          COUNT_BLOCKED.on("held", held),
          row -> row.getLong(1),
          kind,
          kind,
          MOST_ROWS);
    }

    private static BoundStatement<List<Others>> keys(Name keys, Others others) {
      return BoundStatement.query(
          COUNT_TAKEN_KEYS.call(),
          COUNT_TAKEN_KEYS.on("keys", keys),
          row -> new Others(others.running(), others.blocked(), row.getLong(1), row.getLong(2)),
          MOST_ROWS);
    }
  }
}
