package dev.rota.internal.schema;

import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jooq.Name;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;

/**
 * Generates the statements that create a tenant's schema, tables and views: the one generator, with
 * explicit columns. {@code LIKE ... INCLUDING ALL} would share sequences and drop storage options.
 *
 * <p>Ring and history have no index, no constraint and no autovacuum. History has no constraint
 * that the ring lacks, or one bad row would block a tenant for ever.
 *
 * <p>A slot has eight columns: with a ninth, the null bitmap would make each row eight bytes
 * longer. A task without a parent has the bitmap anyway, so that the last two columns cost nothing.
 * It has no TOAST table, and so one file instead of three, until the tenant has a large payload.
 */
public final class TenantDdl {

  private static final String UNVACUUMED =
      " with (autovacuum_enabled = off, toast.autovacuum_enabled = off)";

  private static final Sql SCHEMA = new Sql("create schema", "create schema {schema}");

  private static final Sql SLOT =
      new Sql(
          "create slot",
          """
          create table {slot} (
            id bigint, created_at timestamptz, parent_id bigint, attempt integer)
            with (autovacuum_enabled = off)""");

  /**
   * The texts of a slot. PostgreSQL gives a table a TOAST table as soon as it has a text that is
   * not stored plain. CREATE TABLE cannot say so before PostgreSQL 16, and a later ALTER keeps the
   * TOAST table. Rejected: a table from which others are made by LIKE, one more object of the
   * registry.
   */
  private static final Sql SLOT_TEXTS =
      new Sql(
          "create slot",
          """
          alter table {slot}
            add column kind text, alter column kind set storage plain,
            add column payload text, alter column payload set storage plain,
            add column key text, alter column key set storage plain,
            add column traits integer""");

  private static final Sql SEGMENT =
      new Sql(
          "create segment",
          "create table {segment} ("
              + HistoryColumns.joined(HistoryColumns.OF_SEGMENT, HistoryColumn::definition)
              + ")"
              + UNVACUUMED);

  private static final Sql WAITING =
      new Sql(
          "create wait table",
          """
          create table {waiting} (
            id bigint, run_at timestamptz, created_at timestamptz, parent_id bigint,
            attempt integer, kind text, payload text, key text, traits integer, lane smallint)
            with (autovacuum_vacuum_scale_factor = 0.05)""");

  /** Adds the columns that tables of tenants registered by older versions lack. */
  private static final Sql ADD_MARKS =
      new Sql("add marks", "alter table {table} add column key text, add column traits integer");

  private static final Sql ADD_MARKS_AND_LANE =
      new Sql(
          "add marks",
          "alter table {table} add column key text, add column traits integer,"
              + " add column lane smallint");

  /**
   * The tenant's enqueue function. It runs with the rights of the role that owns the tenant's
   * tables. Its caller needs no right on any table, here or in the registry. It makes all checks of
   * the registry's function.
   */
  private static final Sql ENQUEUE =
      new Sql(
          "create enqueue",
          """
          create or replace function {enqueue}(
              kind text, payload text, run_at timestamptz default null,
              priority integer default 0, key text default null) returns bigint
            language plpgsql volatile parallel unsafe security definer
            set search_path = pg_catalog, pg_temp
          as $body$
          begin
            return {enqueue_by_name}(
              (select t.name from {tenants} t where t.number = {number}),
              kind, payload, run_at, priority, key);
          end
          $body$""");

  /**
   * Turns off the check of function bodies. A check would compile the function, and the server's
   * process would keep it: 16 kB for each tenant that the connection registers.
   */
  private static final String UNCOMPILED = "set local check_function_bodies = off";

  private static final Sql NO_ENQUEUE_FOR_PUBLIC =
      new Sql(
          "revoke enqueue",
          "revoke all on function {enqueue}(text, text, timestamptz, integer, text) from public");

  /**
   * The tenant's function that makes what it lacks. It runs with the rights of the role that owns
   * the tenant's tables, so that new ones belong to that role.
   */
  private static final Sql MAKE =
      new Sql(
          "create make",
          """
          create or replace function {make}(thing text) returns void
            language plpgsql volatile parallel unsafe security definer
            set search_path = pg_catalog, pg_temp
          as $body$
          begin
            perform {make_by_number}({number}, thing);
          end
          $body$""");

  private static final Sql NO_MAKE_FOR_PUBLIC =
      new Sql("revoke make", "revoke all on function {make}(text) from public");

  private static final Sql WAITING_INDEX =
      new Sql("create wait index", "create index on {waiting} (run_at)");

  /**
   * Storage options of a small table with fast changes: its rows are vacuumed soon and at full
   * speed.
   */
  private static final String OFTEN_VACUUMED =
      " with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0,"
          + " autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)";

  private static final Sql KEYS =
      new Sql(
          "create keys",
          """
          create table {keys} (
            key text collate "C" primary key, task_id bigint not null, live boolean not null,
            run bigint not null, free_at timestamptz, version bigint, lane smallint,
            kind text, payload text)"""
              + OFTEN_VACUUMED);

  private static final Sql KEYS_BY_END =
      new Sql("create index of keys", "create index on {keys} (free_at) where free_at is not null");

  /** The index that finds tasks waiting for a retry when a newer version comes. */
  private static final Sql WAITING_BY_KEY =
      new Sql("create wait index", "create index on {waiting} (key) where key is not null");

  private static final Sql ASSIGNMENTS =
      new Sql(
          "create assignments",
          """
          create table {assignments} (
            worker bigint not null, task bigint not null, token bigint not null,
            holder bigint not null, returns bigint, assigned_at timestamptz not null,
            pool integer not null, spot integer,
            primary key (task, pool), unique (worker, pool))"""
              + OFTEN_VACUUMED);

  private static final Sql FREE =
      new Sql(
          "create free list",
          """
          create table {free} (
            id bigint not null, pool integer not null, spot integer not null,
            primary key (pool, spot, id))"""
              + OFTEN_VACUUMED);

  private static final String PENDING_COLUMNS =
      "created_at, parent_id, attempt, kind, payload, key, ";

  /** The priorities of a tenant without further lanes. */
  private static final List<Integer> ONE_LANE = List.of(0);

  private final RegistryTables rota;

  /** Creates the generator for the tenants of one registry. */
  public TenantDdl(RegistryTables rota) {
    this.rota = rota;
  }

  /** Creates all objects that a new tenant needs, with its first segment. */
  public List<String> createTenant(TenantTables tenant, int firstSegment) {
    List<String> statements = new ArrayList<>();
    statements.add(SCHEMA.on("schema", tenant.schema()));
    statements.addAll(createSlots(tenant.slots()));
    statements.add(WAITING.on("waiting", tenant.waiting()));
    statements.add(WAITING_INDEX.on("waiting", tenant.waiting()));
    statements.add(createSegment(tenant, firstSegment));
    statements.add(pendingView(tenant, ONE_LANE));
    statements.add(historyView(tenant, List.of(firstSegment)));
    statements.addAll(createEnqueue(tenant));
    statements.addAll(createMake(tenant));
    return statements;
  }

  private static List<String> createSlots(List<Name> slots) {
    List<String> statements = new ArrayList<>();
    for (Name slot : slots) {
      statements.add(SLOT.on("slot", slot));
      statements.add(SLOT_TEXTS.on("slot", slot));
    }
    return statements;
  }

  /** Creates the tenant's own enqueue function, for producers with narrow rights. */
  public List<String> createEnqueue(TenantTables tenant) {
    Map<String, QueryPart> parts =
        Map.of(
            "enqueue", tenant.enqueue(),
            "enqueue_by_name", rota.enqueue(),
            "tenants", rota.tenants(),
            "number", DSL.inline(tenant.number()));
    return List.of(UNCOMPILED, ENQUEUE.on(parts), NO_ENQUEUE_FOR_PUBLIC.on(parts));
  }

  /** Creates the tenant's own function make, for producers that may make no tables. */
  public List<String> createMake(TenantTables tenant) {
    Map<String, QueryPart> parts =
        Map.of(
            "make", tenant.make(),
            "make_by_number", rota.make(),
            "number", DSL.inline(tenant.number()));
    return List.of(UNCOMPILED, MAKE.on(parts), NO_MAKE_FOR_PUBLIC.on(parts));
  }

  /**
   * Adds the columns that tenants registered by older versions lack; this changes only the catalog.
   */
  public List<String> addMarks(TenantTables tenant, List<Integer> segments) {
    List<String> statements = new ArrayList<>();
    tenant.slots().forEach(slot -> statements.add(ADD_MARKS.on("table", slot)));
    statements.add(ADD_MARKS_AND_LANE.on("table", tenant.waiting()));
    segments.forEach(seq -> statements.add(ADD_MARKS_AND_LANE.on("table", tenant.segment(seq))));
    statements.add(pendingView(tenant, ONE_LANE));
    statements.add(historyView(tenant, segments));
    return statements;
  }

  /**
   * The ring of the last lane, and its place in the view.
   *
   * @param priorities those of all lanes of the tenant by their numbers
   */
  public List<String> createLane(TenantTables tenant, List<Integer> priorities) {
    List<String> statements = createSlots(tenant.slots(priorities.size() - 1));
    statements.add(pendingView(tenant, priorities));
    return statements;
  }

  /** Creates the tables that a tenant needs for tasks with keys. */
  public static List<String> createKeys(TenantTables tenant) {
    return List.of(
        KEYS.on("keys", tenant.keys()),
        KEYS_BY_END.on("keys", tenant.keys()),
        WAITING_BY_KEY.on("waiting", tenant.waiting()));
  }

  /** Creates the tables that a tenant needs for its pools of assignments. */
  public static List<String> createAssignments(TenantTables tenant) {
    return List.of(
        ASSIGNMENTS.on("assignments", tenant.assignments()), FREE.on("free", tenant.free()));
  }

  /** Creates one more segment of history. */
  public String createSegment(TenantTables tenant, int seq) {
    return SEGMENT.on("segment", tenant.segment(seq));
  }

  /** Creates the view of tasks that are pending in any lane, or waiting. */
  private static String pendingView(TenantTables tenant, List<Integer> priorities) {
    String rings =
        IntStream.range(0, priorities.size())
            .mapToObj(lane -> ring(tenant.slots(lane), priorities.get(lane)))
            .collect(Collectors.joining("\nunion all\n"));
    return new Sql(
            "create pending view",
            "create or replace view {view} (id, state, run_at, created_at, parent_id, attempt, kind,"
                + " payload, key, priority) as\n"
                + rings
                + "\nunion all\nselect id, 'waiting', run_at, "
                + PENDING_COLUMNS
                + priorityOfLane(priorities)
                + " from {waiting}")
        .on("view", tenant.pendingView(), "waiting", tenant.waiting());
  }

  private static String ring(List<Name> slots, int priority) {
    return slots.stream()
        .map(
            slot ->
                "select id, 'pending', null::timestamptz, "
                    + PENDING_COLUMNS
                    + priority
                    + " from "
                    + quoted(slot))
        .collect(Collectors.joining("\nunion all\n"));
  }

  private static String priorityOfLane(List<Integer> priorities) {
    return IntStream.range(1, priorities.size())
        .mapToObj(lane -> " when " + lane + " then " + priorities.get(lane))
        .collect(Collectors.joining("", "case coalesce(lane, 0) when 0 then 0", " end"));
  }

  /** Creates the view of all attempts, with effective states and the times of the ledger. */
  public String historyView(TenantTables tenant, List<Integer> segments) {
    String rows =
        segments.stream()
            .map(seq -> "select *, " + seq + " as segment from " + quoted(tenant.segment(seq)))
            .collect(Collectors.joining("\nunion all\n"));
    return new Sql(
            "create history view",
            """
            create or replace view {view} (%s) as
            select h.id, %s, h.attempt, h.kind, h.payload, h.parent_id, h.created_at,
                   b.claimed_at, coalesce(h.finished_at, b.closed_at), h.error, h.batch_id, h.segment,
                   b.worker, h.key,
                   coalesce((select t.priorities from {tenants} t
                              where t.number = {number})[h.lane], 0)::integer
              from (%s) h
              left join {ledger} b on b.id = h.batch_id"""
                .formatted(
                    HistoryColumns.joined(HistoryColumns.OF_VIEW, HistoryColumn::name),
                    effectiveState("h", "b"),
                    rows))
        .on(
            Map.of(
                "view", tenant.historyView(),
                "ledger", rota.ledgerView(),
                "tenants", rota.tenants(),
                "number", DSL.inline(tenant.number())));
  }

  /**
   * The effective state of a history row joined with its batch: the state of the row if it has one,
   * else that of the batch. A segment of the ledger is dropped only when all its batches are
   * closed, so no batch means done.
   */
  public static String effectiveState(String history, String batch) {
    String named =
        Arrays.stream(AttemptStateCode.values())
            .filter(code -> code != AttemptStateCode.AS_BATCH)
            .map(code -> "when " + code.code() + " then '" + code.label() + "'")
            .collect(Collectors.joining(" "));
    return "case %1$s.state %3$s else case when %2$s.id is not null and %2$s.closed_at is null"
            .formatted(history, batch, named)
        + " then 'running' else 'done' end end";
  }

  private static String quoted(Name name) {
    return Sql.render(name);
  }
}
