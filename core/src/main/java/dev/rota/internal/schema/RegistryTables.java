package dev.rota.internal.schema;

import static org.jooq.impl.DSL.name;

import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.text.SafeText;
import java.util.regex.Pattern;
import org.jooq.Name;

/** The names in the schema of the registry: the one place that composes them. */
public final class RegistryTables {

  /** The table of the finished migrations. */
  public static final String MIGRATIONS = "schema_history";

  private static final Pattern SCHEMA = Pattern.compile("[a-z][a-z0-9_]{0,39}");
  private static final Pattern OF_A_TENANT = Pattern.compile(".*_[0-9]+");

  private final String schema;

  /** Creates the names for a schema whose name needs no escaping; any other name is refused. */
  public RegistryTables(String schema) {
    if (!SCHEMA.matcher(schema).matches()) {
      throw new IllegalArgumentException(
          "schema is '"
              + SafeText.of(schema)
              + "'; it takes 1 to 40 characters out of a-z 0-9 _, starting with a letter");
    }
    if (OF_A_TENANT.matcher(schema).matches()) {
      throw new IllegalArgumentException(
          "schema is '"
              + SafeText.of(schema)
              + "', which could be that of a tenant; it must not end in _ and a number");
    }
    this.schema = schema;
  }

  public String schema() {
    return schema;
  }

  /** The functions that enqueue for a tenant, given its name. */
  public Name enqueue() {
    return name(schema, "enqueue");
  }

  /** The function that makes the schema and the tables that a tenant lacks, given its number. */
  public Name openTenant() {
    return name(schema, "open_tenant");
  }

  /** The function that tells the quota of a tenant and its use, given its number. */
  public Name room() {
    return name(schema, "room");
  }

  /** The function that leases bytes of the quota of payloads of a tenant, given its number. */
  public Name leasePayload() {
    return name(schema, "lease_payload");
  }

  /** The function that takes back leased bytes. */
  public Name returnPayload() {
    return name(schema, "return_payload");
  }

  /** The function that counts the pending tasks of tenants whose counters may be wrong. */
  public Name countPending() {
    return name(schema, "count_pending");
  }

  /** A function that generates tables or views of a tenant. */
  Name generator(String function) {
    return name(schema, function);
  }

  public Name tenants() {
    return name(schema, "tenant");
  }

  public Name segments() {
    return name(schema, "segment");
  }

  /** The manifest of the archive: one row for each segment that was written to it. */
  public Name archive() {
    return name(schema, "archive");
  }

  /** The identity of this database in an object store. */
  public Name archiveOwner() {
    return name(schema, "archive_owner");
  }

  /** Tenants that are erased, or being erased. */
  public Name erasures() {
    return name(schema, "erasure");
  }

  /** The objects and rows that belonged to erased tenants. */
  public Name erasureParts() {
    return name(schema, "erasure_part");
  }

  public Name workers() {
    return name(schema, "worker");
  }

  public Name ledgerSegments() {
    return name(schema, "ledger_segment");
  }

  /** The names, kinds and numbers of all tenants' assignment pools. */
  public Name assignmentPools() {
    return name(schema, "assignment_pool");
  }

  /** Requests that running tasks end. */
  public Name cancelRequests() {
    return name(schema, "cancel_request");
  }

  /** The number of rows that were set aside, and the reasons. */
  public Name setAside() {
    return name(schema, "set_aside");
  }

  /** Hourly sums over attempts. */
  public Name statistics() {
    return name(schema, "statistic");
  }

  /** The sums of {@link #statistics} over all tenants. */
  public Name kindStatistics() {
    return name(schema, "kind_statistic");
  }

  /** Hourly counts of failed attempts by error, over all tenants. */
  public Name errors() {
    return name(schema, "error_statistic");
  }

  /** The part of each tenant in {@link #errors}. */
  public Name tenantErrors() {
    return name(schema, "tenant_error");
  }

  /** What people changed. */
  public Name audit() {
    return name(schema, "audit");
  }

  /** The rules of scopes. */
  public Name rules() {
    return name(schema, "rule");
  }

  /** The version of all rules. */
  public Name ruleVersion() {
    return name(schema, "rule_version");
  }

  /** What caps count. */
  public Name budgets() {
    return name(schema, "budget");
  }

  /** The slots of budgets that workers hold. */
  public Name shares() {
    return name(schema, "share");
  }

  /** The pauses of kinds that handlers and breakers ordered. */
  public Name kindPauses() {
    return name(schema, "kind_pause");
  }

  /** When the last starts at rates are that workers have leased. */
  public Name buckets() {
    return name(schema, "bucket");
  }

  /** What tenants used, by the hour. */
  public Name usage() {
    return name(schema, "usage");
  }

  /** The trigger function that refuses batches of a metered segment of the ledger. */
  public Name refuseBatches() {
    return name(schema, "refuse_batches");
  }

  public Name schedules() {
    return name(schema, "schedule");
  }

  /** One segment of the ledger. */
  public Name ledger(int seq) {
    return name(schema, "task_batch_" + seq);
  }

  /** The view over all segments of the ledger. */
  public Name ledgerView() {
    return name(schema, "task_batch");
  }

  /** The view over the ledger, as text of a statement. */
  public String ledgerViewSql() {
    return Sql.render(ledgerView());
  }

  /** The table of tenants, as text of a statement. */
  public String tenantsSql() {
    return Sql.render(tenants());
  }

  /** The table of the finished migrations, as text of a statement. */
  public String migrationsSql() {
    return Sql.render(name(schema, MIGRATIONS));
  }

  /** A sequence of this schema, quoted for use in {@code nextval}. */
  public String sequence(String sequence) {
    return Sql.render(name(schema, sequence));
  }

  /** The tables of one tenant. */
  public TenantTables tenant(int number) {
    return new TenantTables(schema, number);
  }

  /** The channel of the doorbells. */
  public String channel() {
    return schema + "_doorbell";
  }
}
