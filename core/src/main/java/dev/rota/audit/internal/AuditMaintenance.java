package dev.rota.audit.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.ClockGuard;
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

  /** How long entries are kept: as {@link #FORGET_AUDITED} says. */
  private static final Duration KEEP = Duration.ofDays(400);

  /** The rows that one step deletes. */
  private static final int ROWS_TOGETHER = 10_000;

  private final LeaderTransactions transactions;
  private final BoundStatement<Integer> forget;
  private final ClockGuard clock;

  /** For one leadership. */
  public AuditMaintenance(
      LeaderTransactions transactions, RegistryTables tables, ClockGuard clock) {
    this.transactions = transactions;
    this.clock = clock;
    this.forget = new RegistryCalls(tables).update(FORGET_AUDITED, ROWS_TOGETHER);
  }

  @Override
  public String name() {
    return "forget old entries of the audit";
  }

  @Override
  public Duration run() throws SQLException {
    int deleted = transactions.transaction(name(), this::forget);
    return deleted == ROWS_TOGETHER ? Duration.ZERO : Backoff.jittered(INTERVAL);
  }

  private int forget(Session session) throws SQLException {
    return clock.trusts(session, KEEP) ? session.run(forget) : 0;
  }
}
