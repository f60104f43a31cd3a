package dev.rota.limits.internal.quota;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.LeaderTransactions;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Counts the pending tasks of tenants with a quota, after the server has lost its counters or
 * replaced them by estimates. Used by one thread.
 */
public final class QuotaMaintenance implements MaintenanceTask {

  private static final Sql COUNT_PENDING_TASKS = Sql.named("count_pending_tasks");

  /** A thorough look reads the counters of all tables of these tenants, and finds little. */
  private static final int LOOKS_TO_A_THOROUGH_ONE = 30;

  private final LeaderTransactions transactions;
  private final RegistryTables tables;
  private final Duration interval;
  private int looks;

  /**
   * For one leadership.
   *
   * @param tick how often the leader looks for what is due
   */
  public QuotaMaintenance(LeaderTransactions transactions, RegistryTables tables, Duration tick) {
    this.transactions = transactions;
    this.tables = tables;
    // Every second with the default tick.
    this.interval = tick.multipliedBy(4);
  }

  @Override
  public String name() {
    return "count the pending tasks of tenants with a quota";
  }

  @Override
  public Duration run() throws SQLException {
    boolean thorough = looks % LOOKS_TO_A_THOROUGH_ONE == 0;
    List<Integer> tenants =
        transactions.lengthyTransaction(
            name(),
            session ->
                session.run(
                    BoundStatement.query(
                        COUNT_PENDING_TASKS.call(),
                        COUNT_PENDING_TASKS.on("count_pending", tables.countPending()),
                        row -> row.getInt(1),
                        thorough)));
    looks++;
    return tenants.contains(0) ? Backoff.jittered(interval) : Duration.ZERO;
  }
}
