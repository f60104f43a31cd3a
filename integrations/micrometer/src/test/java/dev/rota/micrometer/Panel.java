package dev.rota.micrometer;

import java.util.List;

/** The panels of the dashboard, in their order. */
@SuppressWarnings("ImmutableEnumChecker") // Nothing changes them.
enum Panel {
  FLOW(
      "Tasks",
      "Tasks in and out",
      "ops",
      new Query("sum(rate(rota_tasks_enqueued_total[$__rate_interval]))", "enqueued"),
      new Query("sum(rate(rota_tasks_claimed_total[$__rate_interval]))", "claimed"),
      new Query(
          "sum by (outcome) (rate(rota_tasks_ended_total[$__rate_interval]))", "{{outcome}}")),
  KINDS(
      "Tasks",
      "Attempts by kind",
      "ops",
      new Query("sum by (kind) (rate(rota_tasks_ended_total[$__rate_interval]))", "{{kind}}")),
  ERRORS(
      "Tasks",
      "Errors",
      "ops",
      new Query(
          "sum by (kind, error) (rate(rota_tasks_errors_total[$__rate_interval]))",
          "{{kind}} {{error}}")),
  RUN(
      "Tasks",
      "Run time, 95 %",
      "s",
      new Query(quantile("rota_task_run_seconds_bucket", "kind"), "{{kind}}")),
  WAIT(
      "Tasks",
      "Waiting time, 95 %",
      "s",
      new Query(quantile("rota_task_wait_seconds_bucket", "kind"), "{{kind}}")),
  ENQUEUE(
      "Tasks",
      "Enqueue, 95 %",
      "s",
      new Query(quantile("rota_enqueue_seconds_bucket", "path"), "{{path}}")),
  TENANTS(
      "Tasks",
      "Busiest tenants",
      "ops",
      new Query(
          "topk(10, sum by (tenant) (rate(rota_tenant_ended_total[$__rate_interval])))",
          "{{tenant}}"),
      new Query(
          "-topk(10, sum by (tenant) (rate(rota_tenant_enqueued_total[$__rate_interval])))",
          "{{tenant}}, enqueued")),
  BACKLOG(
      "Database",
      "Backlog",
      "short",
      new Query("max(rota_tasks_pending)", "pending"),
      new Query("max(rota_tasks_waiting)", "waiting"),
      new Query("max(rota_tasks_running)", "running")),
  OLDEST(
      "Database",
      "Oldest pending task",
      "s",
      new Query("max(rota_tasks_oldest_age_seconds)", "age"),
      new Query("min(rota_status_age_seconds)", "age of this figure")),
  ALIVE(
      "Database",
      "Processes",
      "short",
      new Query("max(rota_workers_alive)", "workers"),
      new Query("max(rota_daemon_present)", "leading daemon")),
  HANDLERS(
      "Workers", "Handlers", "short", new Query("sum by (state) (rota_worker_slots)", "{{state}}")),
  ACTIVE(
      "Workers",
      "Running by kind",
      "short",
      new Query("sum by (kind) (rota_tasks_active)", "{{kind}}")),
  HELD(
      "Workers",
      "Claimed tasks",
      "short",
      new Query("sum by (state) (rota_tasks_held)", "{{state}}"),
      new Query("sum(rota_tasks_unsettled)", "not settled")),
  STATEMENTS(
      "Workers",
      "Claim and settle, 95 %",
      "s",
      new Query(quantile("rota_claim_seconds_bucket", "outcome"), "claim, {{outcome}}"),
      new Query(quantile("rota_settle_seconds_bucket", "outcome"), "settle, {{outcome}}"),
      new Query(
          "histogram_quantile(0.95,"
              + " sum by (le) (rate(rota_settle_delay_seconds_bucket[$__rate_interval])))",
          "end to commit")),
  BATCHES(
      "Workers",
      "Tasks in a batch",
      "short",
      new Query(
          "sum(rate(rota_tasks_claimed_total[$__rate_interval]))"
              + " / sum(rate(rota_batches_claimed_total[$__rate_interval]))",
          "mean")),
  LOST(
      "Workers",
      "Lost leases",
      "short",
      new Query("sum(increase(rota_batches_lost_total[$__rate_interval]))", "batches"),
      new Query("sum(increase(rota_tasks_lost_total[$__rate_interval]))", "tasks"),
      new Query("sum(increase(rota_tasks_reaped_total[$__rate_interval]))", "of dead workers")),
  LEADER(
      "Daemon",
      "Leader",
      "short",
      new Query("max by (instance) (rota_daemon_leading)", "{{instance}}")),
  ROTATIONS(
      "Daemon",
      "Rotations",
      "ops",
      new Query("sum by (outcome) (rate(rota_rotations_total[$__rate_interval]))", "{{outcome}}"),
      new Query("sum(rate(rota_tasks_promoted_total[$__rate_interval]))", "promoted tasks")),
  SEGMENTS(
      "Daemon",
      "Segments",
      "short",
      new Query(
          "sum by (event) (increase(rota_history_segments_total[$__rate_interval]))",
          "history, {{event}}"),
      new Query(
          "sum by (event) (increase(rota_ledger_segments_total[$__rate_interval]))",
          "ledger, {{event}}"),
      new Query("sum(increase(rota_tenants_parked_total[$__rate_interval]))", "parked tenants")),
  ARCHIVE(
      "Daemon",
      "Archive",
      "short",
      new Query("sum(increase(rota_archive_segments_total[$__rate_interval]))", "segments"),
      new Query("sum(increase(rota_archive_size_bytes_total[$__rate_interval]))", "bytes"),
      new Query("sum(increase(rota_archive_failures_total[$__rate_interval]))", "failures"));

  /**
   * A line of a panel.
   *
   * @param expression its values
   * @param legend its name
   */
  record Query(String expression, String legend) {}

  private final String row;
  private final String title;
  private final String unit;
  private final List<Query> queries;

  Panel(String row, String title, String unit, Query... queries) {
    this.row = row;
    this.title = title;
    this.unit = unit;
    this.queries = List.of(queries);
  }

  private static String quantile(String buckets, String by) {
    return "histogram_quantile(0.95, sum by (le, %s) (rate(%s[$__rate_interval])))"
        .formatted(by, buckets);
  }

  /** The part of the dashboard. */
  String row() {
    return row;
  }

  String title() {
    return title;
  }

  /** The unit by its name in Grafana. */
  String unit() {
    return unit;
  }

  List<Query> queries() {
    return queries;
  }
}
