package dev.rota.demo;

import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.currentOffsetDateTime;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.val;

import dev.rota.Tenant;
import dev.rota.demo.DemoReport.Rotations;
import dev.rota.demo.DemoReport.Server;
import dev.rota.history.ArchivedSegment;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Name;
import org.jooq.Record2;
import org.jooq.Records;

/** The demo's own queries for its tenants, independent of the library. */
final class DemoTables {

  private static final Field<Long> BATCH = field(name("id"), Long.class);
  private static final Field<Integer> SEQ = field(name("seq"), Integer.class);

  private final DSLContext context;
  private final String schema;
  private final List<Integer> tenants;

  DemoTables(DSLContext context, String schema, List<Tenant> tenants) {
    this.context = context;
    this.schema = schema;
    this.tenants = tenants.stream().map(Tenant::number).toList();
  }

  int tenantCount() {
    return tenants.size();
  }

  DSLContext context() {
    return context;
  }

  /** The batches that are claimed and not settled. */
  Long[] openBatches() {
    return context
        .select(BATCH)
        .from(table(name(schema, "task_batch")))
        .where(ours("tenant"))
        .and(field(name("closed_at")).isNull())
        .fetchArray(BATCH);
  }

  /**
   * Reads the tables from the catalog, not from the registry: a table that the library has
   * forgotten would hold lost tasks.
   */
  List<TenantTableNames> tableNames() {
    Field<String> schemaName = field("n.nspname::text", String.class);
    Field<String> tableName = field("c.relname::text", String.class);
    Map<String, List<String>> bySchema =
        context
            .select(schemaName, tableName)
            .from("pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace")
            .where("c.relkind = 'r'")
            .and(schemaName.in(tenants.stream().map(number -> schema + "_" + number).toList()))
            .fetchGroups(schemaName, tableName);
    List<TenantTableNames> all = new ArrayList<>();
    for (Map.Entry<String, List<String>> entry : bySchema.entrySet()) {
      all.add(TenantTableNames.of(entry.getKey(), entry.getValue()));
    }
    return all;
  }

  Rotations rotations(Duration period) {
    Record2<BigDecimal, BigDecimal> sums =
        context
            .select(
                sum(field(name("rotations"), Long.class)),
                sum(field(name("postponed"), Long.class)))
            .from(table(name(schema, "tenant")))
            .where(ours("number"))
            .fetchSingle();
    int opened =
        context
            .select(count())
            .from(table(name(schema, "segment")))
            .where(ours("tenant"))
            .and(SEQ.gt(1))
            .fetchSingle()
            .value1();
    return new Rotations(
        tenantCount(), period, sums.value1().longValue(), sums.value2().longValue(), opened);
  }

  /** Whether a task has yet to run, or its batch to be settled. */
  boolean isAnythingPending() {
    return openBatches().length > 0
        || tableNames().stream().flatMap(names -> names.pending().stream()).anyMatch(this::hasRows);
  }

  private boolean hasRows(Name table) {
    return context.fetchExists(table(table));
  }

  /** The progress of the archive; a row of the demo's tenants counts once for each of its steps. */
  record Moves(long left, long steps) {}

  /**
   * Counts segments that have yet to leave the database: those sealed before that time, and the
   * first segment of each tenant with tasks.
   */
  Moves moves(OffsetDateTime sealedBefore) {
    Name segments = name(schema, "segment");
    Name archive = name(schema, "archive");
    Record2<Long, Long> row =
        context
            .select(
                field(
                    "count(*) filter (where s.dropped_at is null and (s.sealed_at <= {0}"
                        + " or s.seq = 1 and pg_relation_size(to_regclass(format("
                        + "'%I.task_hist_%s_1', {1} || '_' || s.tenant, s.tenant))) > 0))",
                    Long.class, val(sealedBefore), val(schema)),
                field(
                    "count(s.sealed_at) + count(s.dropped_at) + count(a.archived_at)", Long.class))
            .from("{0} s left join {1} a using (tenant, seq)", segments, archive)
            .where("s.tenant = any ({0})", val(tenants.toArray(Integer[]::new)))
            .fetchSingle();
    return new Moves(row.value1(), row.value2());
  }

  /** Reads the clock of the server. */
  OffsetDateTime now() {
    return context.select(currentOffsetDateTime()).fetchSingle().value1();
  }

  /** The files of segments that have left the database, by tenant. */
  List<ArchivedSegment> archived() {
    return context
        .select(
            field("a.tenant", Integer.class),
            field("a.seq", Integer.class),
            field("a.key", String.class),
            field("a.bytes", Long.class),
            field("a.sha256", String.class))
        .from(
            "{0} a join {1} s using (tenant, seq)",
            name(schema, "archive"), name(schema, "segment"))
        .where("a.archived_at is not null and a.expired_at is null and s.dropped_at is not null")
        .and("a.tenant = any ({0})", val(tenants.toArray(Integer[]::new)))
        .orderBy(1, 2)
        .fetch(Records.mapping(ArchivedSegment::new));
  }

  /** The reason why the archive makes no progress, if it reports one. */
  Optional<String> archiveTrouble() {
    Field<String> trouble = field(name("trouble"), String.class);
    return context
        .select(trouble)
        .from(table(name(schema, "archive")))
        .where(ours("tenant"))
        .and(trouble.isNotNull())
        .limit(1)
        .fetchOptional(trouble);
  }

  Server server() {
    boolean durable = setting("fsync").equals("on") && !setting("synchronous_commit").equals("off");
    return new Server(setting("server_version").split(" ", 2)[0], durable);
  }

  private Condition ours(String column) {
    return field(name(column), Integer.class).in(tenants);
  }

  private String setting(String setting) {
    return context
        .select(field("current_setting({0})", String.class, val(setting)))
        .fetchSingle()
        .value1();
  }
}
