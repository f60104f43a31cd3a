package dev.rota.junit;

import dev.rota.internal.Kernel;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds in one round trip what could move or begin in the present test, so that its drains do
 * nothing that is provably in vain. Used by one thread.
 *
 * <p>It reads the registry of tenants again only if a row has changed there.
 */
final class DueWork {

  private static final Sql LOOK_AT_TENANTS = Sql.named("look_at_tenants_of_test");
  private static final Sql LOOK_AT_DUTIES = Sql.named("look_at_duties_of_test");
  private static final Sql LOOK_AT_TASKS = Sql.named("look_at_tasks_of_test");

  private final Kernel kernel;
  private final RegistryTables tables;
  private final TestTasks tasks;
  private final Map<Integer, String> versions = new HashMap<>();
  private List<TenantRef> tenants = List.of();

  DueWork(Kernel kernel, TestTasks tasks) {
    this.kernel = kernel;
    this.tables = kernel.tables();
    this.tasks = tasks;
  }

  /** What one look has found. */
  static final class Found {
    private final Map<Integer, String> versions = new HashMap<>();
    private final List<TenantRef> filled = new ArrayList<>();
    private boolean waiting;
    private boolean recurring;
    private long ruleVersion;

    /** Whether a delayed task or a retry may be due. */
    boolean isWaiting() {
      return waiting;
    }

    /** Whether a schedule is due, or there are graphs. */
    boolean isRecurring() {
      return recurring;
    }

    /** Whether no task can begin now. */
    boolean isNothing() {
      return !waiting && !recurring && filled.isEmpty();
    }

    /** The tenants with tasks in their slots, by ascending number. */
    List<TenantRef> filled() {
      return filled;
    }
  }

  /** Begins a test: nothing is known of its tenants. */
  void begin() {
    versions.clear();
    tenants = List.of();
  }

  /** Looks now; also reads the rules by which tasks begin, if they changed. */
  Found look() throws SQLException {
    int history = kernel.registry().history();
    long begunAt = kernel.recentRules().now();
    Found found = lookAgainIfGone();
    while (!found.versions.equals(versions)) {
      versions.clear();
      versions.putAll(found.versions);
      tenants = tasks.presentTenants();
      found = lookAgainIfGone();
    }
    kernel.rules().follow(found.ruleVersion);
    if (kernel.rules().version() == found.ruleVersion) {
      kernel.recentRules().saw(history, begunAt);
    }
    return found;
  }

  /** Looks without what is known where a tenant has lost its tables. */
  private Found lookAgainIfGone() throws SQLException {
    try {
      return lookOnce();
    } catch (SQLException e) {
      if (!SqlErrors.isMissingTable(e)) {
        throw e;
      }
      begin();
      return lookOnce();
    }
  }

  private Found lookOnce() throws SQLException {
    return kernel.database().tryTransaction("look for due tasks in a test", this::look);
  }

  /** Adds the statements to the flush of the COMMIT, in which the result comes. */
  private Found look(Session session) {
    Found found = new Found();
    session.prepend(
        BoundStatement.query(
            LOOK_AT_TENANTS.call(),
            LOOK_AT_TENANTS.on("tenants", tables.tenants()),
            row -> found.versions.put(row.getInt(1), row.getString(2)) == null,
            tasks.pastNumbers()));
    session.prepend(
        BoundStatement.query(
            LOOK_AT_DUTIES.call(),
            LOOK_AT_DUTIES.on(
                Map.of(
                    "schedules", tables.schedules(),
                    "tenants", tables.tenants(),
                    "rule_version", tables.ruleVersion())),
            row -> {
              found.recurring = row.getBoolean(1) || row.getBoolean(2);
              found.ruleVersion = row.getLong(3);
              return true;
            },
            tables.schema()));
    tenants.forEach(tenant -> session.prepend(tasksOf(tenant, found)));
    return found;
  }

  private static BoundStatement<?> tasksOf(TenantRef tenant, Found found) {
    return BoundStatement.query(
        LOOK_AT_TASKS.call(),
        LOOK_AT_TASKS.on(
            "pending", tenant.tables().pendingView(), "waiting", tenant.tables().waiting()),
        row -> {
          if (row.getBoolean(1)) {
            found.filled.add(tenant);
          }
          found.waiting |= row.getBoolean(2);
          return true;
        });
  }
}
