package dev.rota.internal.schema;

import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;

/**
 * Generates the statements that create a tenant's schema, functions, tables and views.
 *
 * <p>The schema, slots, segments, wait tables and views come from functions of the registry, such
 * as {@code open_tenant}, since producers with SQL need them too. This class only calls those.
 */
public final class TenantDdl {

  private static final Sql OPEN = new Sql("open tenant", "select {open_tenant}({number})");

  private static final Sql OWN_FUNCTIONS =
      new Sql("create functions", "select {make_own_functions}({number})");

  private static final Sql SLOT = new Sql("create slot", "select {make_slot}({number}, {slot})");

  private static final Sql SEGMENT =
      new Sql("create segment", "select {make_segment}({number}, {seq})");

  private static final Sql PENDING_VIEW =
      new Sql("create pending view", "select {make_pending_view}({number}, {priorities})");

  private static final Sql HISTORY_VIEW =
      new Sql("create history view", "select {make_history_view}({number}, {segments})");

  /** Adds the columns that tables of tenants registered by older versions lack. */
  private static final Sql ADD_MARKS =
      new Sql("add marks", "alter table {table} add column key text, add column traits integer");

  private static final Sql ADD_MARKS_AND_LANE =
      new Sql(
          "add marks",
          "alter table {table} add column key text, add column traits integer,"
              + " add column lane smallint");

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

  private final RegistryTables rota;

  /** Creates the generator for the tenants of one registry. */
  public TenantDdl(RegistryTables rota) {
    this.rota = rota;
  }

  /** Creates the schema, functions and tables that a registered tenant lacks. */
  public String open(TenantTables tenant) {
    return OPEN.on(Map.of("open_tenant", rota.openTenant(), "number", DSL.inline(tenant.number())));
  }

  /** Creates the tenant's own functions, for producers with narrow rights. */
  public String createFunctions(TenantTables tenant) {
    return OWN_FUNCTIONS.on(
        Map.of(
            "make_own_functions",
            rota.generator("make_own_functions"),
            "number",
            DSL.inline(tenant.number())));
  }

  /**
   * Adds the columns that tenants registered by older versions lack; this changes only the catalog.
   */
  public List<String> addMarks(TenantTables tenant, List<Integer> segments) {
    List<String> statements = new ArrayList<>();
    tenant.slots().forEach(slot -> statements.add(ADD_MARKS.on("table", slot)));
    statements.add(ADD_MARKS_AND_LANE.on("table", tenant.waiting()));
    segments.forEach(seq -> statements.add(ADD_MARKS_AND_LANE.on("table", tenant.segment(seq))));
    return statements;
  }

  /** The statements that create both views, or renew them. */
  public List<String> createViews(
      TenantTables tenant, List<Integer> priorities, List<Integer> segments) {
    return List.of(pendingView(tenant, priorities), historyView(tenant, segments));
  }

  /**
   * The ring of the last lane, and its place in the view.
   *
   * @param priorities those of all lanes of the tenant by their numbers
   */
  public List<String> createLane(TenantTables tenant, List<Integer> priorities) {
    List<String> statements = new ArrayList<>();
    int lane = priorities.size() - 1;
    for (int slot = 0; slot < TenantTables.SLOTS; slot++) {
      statements.add(
          SLOT.on(
              Map.of(
                  "make_slot", rota.generator("make_slot"),
                  "number", DSL.inline(tenant.number()),
                  "slot", DSL.inline(lane * TenantTables.SLOTS + slot))));
    }
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
    return SEGMENT.on(
        Map.of(
            "make_segment", rota.generator("make_segment"),
            "number", DSL.inline(tenant.number()),
            "seq", DSL.inline(seq)));
  }

  /** Creates the view of tasks that are pending in any lane, or waiting. */
  private String pendingView(TenantTables tenant, List<Integer> priorities) {
    return PENDING_VIEW.on(
        Map.of(
            "make_pending_view", rota.generator("make_pending_view"),
            "number", DSL.inline(tenant.number()),
            "priorities", array(priorities)));
  }

  /** Creates the view of all attempts, with effective states and the times of the ledger. */
  public String historyView(TenantTables tenant, List<Integer> segments) {
    return HISTORY_VIEW.on(
        Map.of(
            "make_history_view", rota.generator("make_history_view"),
            "number", DSL.inline(tenant.number()),
            "segments", array(segments)));
  }

  private static QueryPart array(List<Integer> numbers) {
    return DSL.sql(
        numbers.stream().map(String::valueOf).collect(Collectors.joining(",", "'{", "}'")));
  }
}
