package dev.rota.internal.schema;

import java.util.List;

/**
 * Regular expressions, in PostgreSQL's syntax, for the names of Rota's objects in catalog queries.
 * The schema of the registry may hold tables of other programs.
 */
public final class NamePatterns {

  private static final List<String> REGISTRY_TABLES =
      List.of(
          "tenant",
          "segment",
          "worker",
          "ledger_segment",
          "assignment_pool",
          "schedule",
          "statistic",
          "kind_statistic",
          "error_statistic",
          "tenant_error",
          "usage",
          "audit",
          "cancel_request",
          "set_aside",
          "rule",
          "rule_version",
          "budget",
          "share",
          "pending_count",
          "allowance",
          "kind_pause",
          "bucket",
          "archive",
          "archive_owner",
          "erasure",
          "erasure_part");

  private static final List<String> SEQUENCES =
      List.of("task_id", "batch_id", "worker_id", "assignment_token");

  private final String schema;

  /** Creates the patterns of one registry. */
  public NamePatterns(RegistryTables tables) {
    this.schema = tables.schema();
  }

  /** The schema of the registry. */
  public String registrySchema() {
    return "^" + schema + "$";
  }

  /** The schemas of tenants. */
  public String tenantSchemas() {
    return "^" + schema + "_[0-9]+$";
  }

  /** The schema of one tenant. */
  public String tenantSchema(int number) {
    return "^" + schema + "_" + number + "$";
  }

  /** All schemas of Rota. */
  public String schemas() {
    return "^" + schema + "(_[0-9]+|)$";
  }

  /** The tables and views of tenants. */
  public String tenantTables() {
    return "^task_[a-z]+_[0-9]+(_[0-9]+|)$";
  }

  /** The segments of the ledger and the view over them. */
  public String ledger() {
    return "^task_batch(_[0-9]+|)$";
  }

  /** Tables and sequences of the registry, with the history of migrations. */
  public String registry() {
    return anyOf(REGISTRY_TABLES) + "|" + anyOf(SEQUENCES) + "|^schema_history$";
  }

  /** Tables of the registry that every role may read. */
  public String registryTables() {
    return anyOf(REGISTRY_TABLES);
  }

  /** Sequences of the registry. */
  public String sequences() {
    return anyOf(SEQUENCES);
  }

  /** The functions that enqueue. */
  public static String enqueueing() {
    return "^enqueue(_with_headers)?$";
  }

  /** The functions that make what a tenant lacks. */
  public static String making() {
    return "^make(_[a-z_]+|)$";
  }

  /** The functions in the schema of a tenant. */
  public static String functionsOfTenants() {
    return "^(enqueue|make)$";
  }

  /** The function that makes the schema and the tables of a tenant. */
  public static String opening() {
    return "^open_tenant$";
  }

  /** The trigger function that keeps claims out of a metered segment of the ledger. */
  public static String refusing() {
    return "^refuse_batches$";
  }

  /** The functions that tell a producer whether a tenant has room for more tasks and payloads. */
  public static String asking() {
    return "^(room|require_room|lease_payload|require_payload|return_payload)$";
  }

  /** The functions that count pending tasks for the daemon. */
  public static String counting() {
    return "^(count_pending|pending_tables|counters_witness)$";
  }

  /** All functions, with those of triggers. */
  public static String functions() {
    return String.join(
        "|",
        enqueueing(),
        making(),
        asking(),
        counting(),
        refusing(),
        "^(rule|kind_pause|breaker)_changed$",
        "^mark_quotas$");
  }

  /** Some tables by their names. */
  public static String anyOf(List<String> names) {
    return "^(" + String.join("|", names) + ")$";
  }
}
