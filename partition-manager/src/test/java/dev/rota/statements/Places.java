package dev.rota.statements;

import dev.rota.internal.schema.HistoryColumn;
import dev.rota.internal.schema.HistoryColumns;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.LaneSql;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jooq.Name;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;

/**
 * The values for the places of statements in these tests: the tables of one tenant, and constants.
 */
final class Places {

  private static final int SEGMENT = 1;
  private static final Pattern PLACE = Pattern.compile("\\{([a-z_]+)}");

  private final RegistryTables rota = new RegistryTables("rota");
  private final TenantTables tenant;
  private final Map<String, QueryPart> parts = new HashMap<>();

  /** Of a tenant with so many lanes. */
  Places(int number, int lanes) {
    this.tenant = rota.tenant(number);
    addRegistry();
    addTenant();
    addFeatures();
    addConstants();
    addLanes(lanes);
  }

  /** The text that the server gets. */
  String render(Sql statement) {
    return statement.on(of(statement.call(), statement.text()));
  }

  /** Every place of a statement that goes through the seam under a name. */
  private Map<String, QueryPart> of(String call, String text) {
    Map<String, QueryPart> all = new HashMap<>();
    PLACE
        .matcher(text)
        .results()
        .map((MatchResult match) -> match.group(1))
        .forEach(place -> all.put(place, parts.getOrDefault(place, DSL.name(place))));
    if (text.contains("r.run_at") || text.contains("t.lane is")) {
      // Only wait tables have these columns.
      all.put("table", tenant.waiting());
    }
    all.putAll(exceptions().getOrDefault(call, Map.of()));
    return all;
  }

  private void addRegistry() {
    parts.put("tenants", rota.tenants());
    parts.put("segments", rota.segments());
    parts.put("workers", rota.workers());
    parts.put("migrations", DSL.sql(rota.migrationsSql()));
    parts.put("archive", rota.archive());
    parts.put("audit", rota.audit());
    parts.put("owner", rota.archiveOwner());
    parts.put("erasures", rota.erasures());
    parts.put("parts", rota.erasureParts());
    parts.put("pools", rota.assignmentPools());
    parts.put("requests", rota.cancelRequests());
    parts.put("set_aside", rota.setAside());
    parts.put("statistics", rota.statistics());
    parts.put("kind_statistics", rota.kindStatistics());
    parts.put("errors", rota.errors());
    parts.put("tenant_errors", rota.tenantErrors());
    parts.put("schedules", rota.schedules());
    parts.put("rules", rota.rules());
    parts.put("rule_version", rota.ruleVersion());
    parts.put("budgets", rota.budgets());
    parts.put("shares", rota.shares());
    parts.put("room", rota.room());
    parts.put("count_pending", rota.countPending());
    parts.put("lease_payload", rota.leasePayload());
    parts.put("return_payload", rota.returnPayload());
    parts.put("kind_pauses", rota.kindPauses());
    parts.put("buckets", rota.buckets());
    parts.put("usage", rota.usage());
    parts.put("ledger_segments", rota.ledgerSegments());
    parts.put("refuse_batches", rota.refuseBatches());
    parts.put("ledger", rota.ledger(SEGMENT));
    parts.put("newest", rota.ledger(SEGMENT));
    parts.put("open_tenant", rota.openTenant());
    parts.put("sequence", DSL.sql(rota.sequence("task_id")));
  }

  private void addTenant() {
    parts.put("schema", tenant.schema());
    parts.put("slot", tenant.slot(0));
    parts.put("current", tenant.slot(1));
    parts.put("table", tenant.slot(0));
    parts.put("relation", tenant.slot(0));
    parts.put("segment", tenant.segment(SEGMENT));
    parts.put("waiting", tenant.waiting());
    parts.put("pending", tenant.pendingView());
    parts.put("views", tenant.pendingView());
    parts.put("tables", tenant.slot(0));
    parts.put("make", tenant.make());
    parts.put("parent", tenant.archived());
    parts.put("child", tenant.archived(SEGMENT));
  }

  private void addLanes(int lanes) {
    List<Name> slots =
        IntStream.range(0, lanes).mapToObj(lane -> tenant.slot(lane * TenantTables.SLOTS)).toList();
    parts.put("lanes", DSL.inline(lanes));
    parts.put("lane", PriorityLanes.valueOf(lanes > 1 ? 1 : 0));
    parts.put("insertions", LaneSql.insertions(slots));
    parts.put("into_rings", LaneSql.intoRings(slots));
  }

  private void addFeatures() {
    parts.put("keys", tenant.keys());
    parts.put("assignments", tenant.assignments());
    parts.put("free", tenant.free());
    parts.put("graphs", tenant.graphs());
    parts.put("nodes", tenant.nodes());
    parts.put("edges", tenant.edges());
    parts.put("held", tenant.held());
    parts.put("spread", tenant.spread());
  }

  private void addConstants() {
    parts.put("namespace", DSL.inline(1));
    parts.put("tenant", DSL.inline(tenant.number()));
    parts.put("number", DSL.inline(tenant.number()));
    parts.put("kinds", DSL.inline("{\"email.send\",\"search.index\"}"));
    parts.put("largest_light", DSL.inline(4_096));
    parts.put("largest_fitting", DSL.inline(PriorityLanes.LARGEST_FITTING));
    parts.put("prefix", DSL.inline("set aside, never run: "));
    parts.put("most", DSL.inline(1_000));
    parts.put("most_tasks", DSL.inline(5_000));
    parts.put("seq_scans", DSL.inline("off"));
    parts.put("plan_cache_mode", DSL.inline("force_generic_plan"));
    parts.put("lock_timeout", DSL.inline("5000"));
    parts.put("statement_timeout", DSL.inline("60000"));
    parts.put("longest_silence", DSL.inline("30000"));
    parts.put("trait", DSL.inline(1));
    parts.put("keyed", DSL.inline(true));
    parts.put("known", DSL.inline(7));
    parts.put("tokens", DSL.inline(rota.sequence("assignment_token")));
    parts.put("task_ids", DSL.inline(rota.sequence("task_id")));
    parts.put("asker", DSL.name("worker"));
    parts.put("given", DSL.name("task"));
    parts.put("side", DSL.name("worker"));
    parts.put("columns", DSL.sql("h.id"));
    parts.put("size", DSL.sql("200"));
    parts.put("condition", DSL.sql("order by h.id"));
    parts.put("column", DSL.name("number"));
    parts.put("next", DSL.inline(1L));
    parts.put("from", DSL.inline("2026-01-01"));
    parts.put("to", DSL.inline("2026-12-31"));
    parts.put("file", DSL.inline("/archive/1.csv"));
  }

  /** Statements that give a place another meaning than most. */
  private Map<String, Map<String, QueryPart>> exceptions() {
    Map<String, Map<String, QueryPart>> all = new HashMap<>();
    List.of(
            "list ledger segments",
            "open ledger segment",
            "seal ledger segment",
            "forget ledger segment",
            "find newest ledger")
        .forEach(call -> all.put(call, Map.of("segments", rota.ledgerSegments())));
    all.put("find batches", Map.of("ledger", rota.ledgerView()));
    all.put("list open batches", Map.of("ledger", rota.ledgerView()));
    all.put("free assignments", Map.of("most", DSL.inline(5_000)));
    all.put(
        "create archive table",
        Map.of(
            "columns",
            DSL.sql(HistoryColumns.joined(HistoryColumns.OF_VIEW, HistoryColumn::definition))));
    all.put("note rows to erase", Map.of("table", rota.tenants()));
    all.put("read rows of tenant", Map.of("table", rota.schedules()));
    all.put(
        "insert rows",
        Map.of(
            "fixed", DSL.sql("created_at, "),
            "columns", DSL.sql("id"),
            "fixed_values", DSL.sql("now(), "),
            "values", DSL.sql("u.id"),
            "arrays", DSL.sql("?::bigint[]")));
    return all;
  }
}
