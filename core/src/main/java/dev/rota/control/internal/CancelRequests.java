package dev.rota.control.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.BatchLocation;
import dev.rota.internal.settle.EndedTask;
import dev.rota.internal.settle.Outcome;
import dev.rota.internal.settle.TaskFlags;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What running tasks were asked, as seen by who ends their batches: each method within a
 * transaction that holds the rows of these batches in the ledger. Thread-safe.
 */
public final class CancelRequests {

  private static final Sql READ_CANCEL_REQUESTS = Sql.named("read_cancel_requests");
  private static final Sql CANCEL_UNSETTLED = Sql.named("cancel_unsettled");
  private static final Sql REMOVE_CANCEL_REQUESTS = Sql.named("remove_cancel_requests");

  private final RegistryTables tables;

  public CancelRequests(RegistryTables tables) {
    this.tables = tables;
  }

  /**
   * Whether a request would change what is written: only what may run again, and cancelled ones.
   */
  public static boolean concern(Outcome outcome) {
    return switch (outcome.state()) {
      case FAILED, RELEASED, CANCELLED -> true;
      case DONE -> outcome.move() != null;
      case AS_BATCH, DEAD, LOST -> false;
    };
  }

  /** The reasons for which tasks of these batches are to end, by the id of the task. */
  public Map<Long, String> reasons(Session session, long[] batches) throws SQLException {
    Map<Long, String> reasons = new HashMap<>();
    session.run(
        BoundStatement.query(
            READ_CANCEL_REQUESTS.call(),
            READ_CANCEL_REQUESTS.on("requests", tables.cancelRequests()),
            row -> reasons.put(row.getLong(1), row.getString(2)),
            (Object) batches));
    return reasons;
  }

  /** These batches end in this transaction. */
  public void remove(Session session, long[] batches) throws SQLException {
    session.run(
        BoundStatement.update(
            REMOVE_CANCEL_REQUESTS.call(),
            REMOVE_CANCEL_REQUESTS.on("requests", tables.cancelRequests()),
            (Object) batches));
  }

  /**
   * Ends those tasks in the blocks of a batch that were asked to, before the others return to the
   * ring. One with a version returns all the same: only its worker knew which version it ran, and a
   * newer one that came meanwhile must not be lost.
   */
  public List<EndedTask> cancelUnsettled(Session session, TenantRef tenant, BatchLocation batch)
      throws SQLException {
    List<Object> binds = new ArrayList<>(batch.blocks().places());
    binds.add(batch.id());
    binds.add(TaskFlags.VERSIONED);
    return session.run(
        BoundStatement.query(
            CANCEL_UNSETTLED.call(),
            CANCEL_UNSETTLED.on(
                "segment",
                tenant.tables().segment(batch.segment()),
                "requests",
                tables.cancelRequests()),
            CancelRequests::ending,
            binds.toArray()));
  }

  private static EndedTask ending(ResultSet row) throws SQLException {
    return new EndedTask(
        row.getLong(1), row.getString(2), row.getInt(3), AttemptStateCode.CANCELLED, null);
  }
}
