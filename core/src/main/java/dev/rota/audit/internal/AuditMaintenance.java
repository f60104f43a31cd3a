package dev.rota.audit.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.LeaderTransactions;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.schema.RegistryCalls;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.time.Duration;

/** Deletes old entries of the audit. Used by one thread. */
public final class AuditMaintenance implements MaintenanceTask {

  private static final Sql FORGET_AUDITED = Sql.named("forget_audited");
  private static final Duration INTERVAL = Duration.ofHours(1);

  /** The rows that one step deletes. */
  private static final int ROWS_TOGETHER = 10_000;

  private final LeaderTransactions transactions;
  private final BoundStatement<Integer> forget;

  /** For one leadership. */
  public AuditMaintenance(LeaderTransactions transactions, RegistryTables tables) {
    this.transactions = transactions;
    this.forget = new RegistryCalls(tables).update(FORGET_AUDITED, ROWS_TOGETHER);
  }

  @Override
  public String name() {
    return "forget old entries of the audit";
  }

  @Override
  public Duration run() throws SQLException {
    int deleted = transactions.transaction(name(), session -> session.run(forget));
    return deleted == ROWS_TOGETHER ? Duration.ZERO : Backoff.jittered(INTERVAL);
  }
}
