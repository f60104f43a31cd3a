package dev.rota.control.internal;

import static dev.rota.internal.schema.HistoryColumns.CLAIMED_AT;
import static dev.rota.internal.schema.HistoryColumns.ID;
import static dev.rota.internal.schema.HistoryColumns.STATE;
import static org.jooq.impl.DSL.currentOffsetDateTime;
import static org.jooq.impl.DSL.table;

import dev.rota.Attempt;
import dev.rota.TaskState;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.FailureCollector;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.enqueue.Doorbell;
import dev.rota.internal.schema.HistoryColumns;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.BatchRecovery;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jooq.types.DayToSecond;

/** Lists tasks that run for too long, and takes their batches from the holders. */
public final class LongRunningTasks {

  private static final Sql FIND_BATCHES = Sql.named("find_long_running_batches");
  private static final int MOST_LISTED = 10_000;

  private final Database database;
  private final RegistryTables tables;
  private final BatchRecovery batchRecovery;
  private final Doorbell doorbell;
  private final TenantRef tenant;

  public LongRunningTasks(
      Database database,
      RegistryTables tables,
      BatchRecovery batchRecovery,
      Doorbell doorbell,
      TenantRef tenant) {
    this.database = database;
    this.tables = tables;
    this.batchRecovery = batchRecovery;
    this.doorbell = doorbell;
    this.tenant = tenant;
  }

  public List<Attempt> list(Duration longerThan) {
    requireNotNegative(longerThan);
    return database
        .readings()
        .transaction(
            "list running tasks of " + tenant.label(), session -> list(session, longerThan));
  }

  private List<Attempt> list(Session session, Duration longerThan) throws SQLException {
    if (!tenant.hasTables(session)) {
      return List.of();
    }
    return session
        .dsl()
        .selectFrom(table(tenant.tables().historyView()))
        .where(STATE.eq(HistoryColumns.label(TaskState.RUNNING)))
        .and(CLAIMED_AT.le(currentOffsetDateTime().minus(DayToSecond.valueOf(longerThan))))
        .orderBy(CLAIMED_AT, ID)
        .limit(MOST_LISTED)
        .fetch(HistoryColumns::read);
  }

  /** Returns each batch in a separate transaction; a failure at one does not stop the others. */
  public long giveBack(Duration longerThan) {
    requireNotNegative(longerThan);
    AtomicLong returned = new AtomicLong();
    FailureCollector failures = new FailureCollector();
    try {
      for (BatchLocation batch : batches(longerThan)) {
        failures.attempt(() -> returned.addAndGet(giveBack(batch, longerThan)));
      }
      failures.throwIfAny();
    } catch (SQLException e) {
      throw SqlErrors.translate("return running tasks of " + tenant.label(), e);
    } finally {
      if (returned.get() > 0) {
        doorbell.ring(tenant.number());
      }
    }
    return returned.get();
  }

  private int giveBack(BatchLocation batch, Duration longerThan) {
    return database.transaction(
        "return batch " + batch.id() + " of " + tenant.label(),
        session ->
            batchRecovery.abandon(session, batch, "taken back: it ran longer than " + longerThan));
  }

  private List<BatchLocation> batches(Duration longerThan) {
    return database.transaction(
        "find running batches of " + tenant.label(),
        session ->
            session.run(
                BatchLocation.find(
                    FIND_BATCHES, tables, tenant.number(), longerThan.toNanos() / 1_000)));
  }

  private static void requireNotNegative(Duration longerThan) {
    if (longerThan.isNegative()) {
      throw new IllegalArgumentException("longerThan is " + longerThan + "; use zero or more");
    }
  }
}
