package dev.rota.daemon;

import java.util.ArrayList;
import java.util.List;

/**
 * The tables of a tenant as the library made them when every tenant had some, for databases of that
 * version.
 */
final class FormerTenant {

  private static final String OPTIONS =
      " with (autovacuum_enabled = off, toast.autovacuum_enabled = off)";
  private static final String PENDING = "created_at, parent_id, attempt, kind, payload, key, ";

  private final int number;
  private final List<Integer> priorities;

  /**
   * Creates a tenant.
   *
   * @param priorities those of its lanes, by their numbers
   */
  FormerTenant(int number, List<Integer> priorities) {
    this.number = number;
    this.priorities = priorities;
  }

  /** The statements that make its schema, tables and views. */
  List<String> tables() {
    List<String> statements = new ArrayList<>();
    statements.add("create schema rota_" + number);
    for (int slot = 0; slot < 3 * priorities.size(); slot++) {
      statements.add(
          "create table "
              + table("init")
              + "_"
              + slot
              + " (id bigint, created_at timestamptz, parent_id bigint, attempt integer,"
              + " kind text, payload text, key text, traits integer)"
              + OPTIONS);
    }
    statements.add(
        "create table "
            + table("wait")
            + " (id bigint, run_at timestamptz, created_at timestamptz, parent_id bigint,"
            + " attempt integer, kind text, payload text, key text, traits integer,"
            + " lane smallint) with (autovacuum_vacuum_scale_factor = 0.05)");
    statements.add("create index on " + table("wait") + " (run_at)");
    statements.add(
        "create table "
            + table("hist")
            + "_1 (id bigint, batch_id bigint, created_at timestamptz, parent_id bigint,"
            + " finished_at timestamptz, attempt integer, state smallint, kind text,"
            + " payload text, error text, key text, traits integer, lane smallint)"
            + OPTIONS);
    statements.add(pendingView());
    statements.add(historyView());
    return statements;
  }

  private String table(String kind) {
    return "rota_" + number + ".task_" + kind + "_" + number;
  }

  private String pendingView() {
    StringBuilder rows = new StringBuilder();
    StringBuilder lanes = new StringBuilder("case coalesce(lane, 0) when 0 then 0");
    for (int lane = 0; lane < priorities.size(); lane++) {
      for (int slot = 3 * lane; slot < 3 * lane + 3; slot++) {
        rows.append("select id, 'pending', null::timestamptz, ")
            .append(PENDING)
            .append(priorities.get(lane))
            .append(" from ")
            .append(table("init"))
            .append("_")
            .append(slot)
            .append(" union all ");
      }
      if (lane > 0) {
        lanes.append(" when ").append(lane).append(" then ").append(priorities.get(lane));
      }
    }
    return "create view "
        + table("init")
        + " (id, state, run_at, created_at, parent_id, attempt, kind, payload, key, priority) as "
        + rows
        + "select id, 'waiting', run_at, "
        + PENDING
        + lanes
        + " end from "
        + table("wait");
  }

  private String historyView() {
    return """
        create view %1$s (id, state, attempt, kind, payload, parent_id, created_at, claimed_at,
            finished_at, error, batch_id, segment, worker, key, priority) as
        select h.id, case h.state when 1 then 'done' when 2 then 'failed' when 3 then 'dead'
               when 4 then 'cancelled' when 5 then 'lost' when 6 then 'released' else
               case when b.id is not null and b.closed_at is null then 'running' else 'done' end end,
               h.attempt, h.kind, h.payload, h.parent_id, h.created_at,
               b.claimed_at, coalesce(h.finished_at, b.closed_at), h.error, h.batch_id, 1,
               b.worker, h.key,
               coalesce((select t.lane_priorities from rota.tenant t
                          where t.number = %2$d)[h.lane], 0)::integer
          from %1$s_1 h left join rota.task_batch b on b.id = h.batch_id"""
        .formatted(table("hist"), number);
  }
}
