package dev.rota.control.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.internal.settle.ClaimedBatch.Settlement;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.settle.TaskExtension;
import dev.rota.internal.settle.TaskExtension.EndedTask;
import dev.rota.internal.settle.TaskFlags;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Ends running tasks with a cancel request that would otherwise run again. It works in the
 * transactions that lock the rows of their batches in the ledger, so that no request can come
 * later. Thread-safe.
 */
public final class CancelRequests implements TaskExtension {

  private static final Sql READ_CANCEL_REQUESTS = Sql.named("read_cancel_requests");
  private static final Sql CANCEL_UNSETTLED = Sql.named("cancel_unsettled");
  private static final Sql REMOVE_CANCEL_REQUESTS = Sql.named("remove_cancel_requests");

  private final RegistryTables tables;
  private final CancelPoll poll;

  public CancelRequests(RegistryTables tables, CancelPoll poll) {
    this.tables = tables;
    this.poll = poll;
  }

  @Override
  public boolean isAskedToEnd(long worker, long batch, long task) {
    return poll.isRequested(worker, batch, task);
  }

  /**
   * Replaces outcomes that a request changes. It costs a statement, and only for batches with such
   * outcomes.
   */
  @Override
  public Map<Outcome, Outcome> settling(Session session, List<Settlement> settlements)
      throws SQLException {
    long[] concerned =
        Settlement.batches(
            settlements, one -> one.outcomes().stream().anyMatch(CancelRequests::concern));
    if (concerned.length == 0) {
      return Map.of();
    }
    Map<Long, String> reasons = reasons(session, concerned);
    if (reasons.isEmpty()) {
      return Map.of();
    }
    remove(session, Settlement.batches(settlements, Settlement::closing));
    Map<Outcome, Outcome> cancelled = new HashMap<>();
    for (Settlement settlement : settlements) {
      for (Outcome outcome : settlement.outcomes()) {
        String reason = concern(outcome) ? reasons.get(outcome.task().id()) : null;
        if (reason != null) {
          cancelled.put(outcome, outcome.cancelledFor(reason));
        }
      }
    }
    return cancelled;
  }

  /**
   * Whether a request may change the outcome: only tasks that may run again, and cancelled ones.
   */
  private static boolean concern(Outcome outcome) {
    return switch (outcome.state()) {
      case FAILED, RELEASED, CANCELLED -> true;
      case DONE -> outcome.requeue() != null;
      case AS_BATCH, DEAD, LOST -> false;
    };
  }

  @Override
  public @Nullable Returning returning(Session session, TenantRef tenant, BatchLocation batch)
      throws SQLException {
    long[] id = {batch.id()};
    Map<Long, String> reasons = reasons(session, id);
    if (reasons.isEmpty()) {
      return null;
    }
    return new Returning() {
      @Override
      public List<EndedTask> end(BatchLocation blocks) throws SQLException {
        return cancelUnsettled(session, tenant, blocks, reasons);
      }

      @Override
      public void finish() throws SQLException {
        remove(session, id);
      }
    };
  }

  /** Reads the reasons of the requests for tasks of these batches, by the id of the task. */
  private Map<Long, String> reasons(Session session, long[] batches) throws SQLException {
    Map<Long, String> reasons = new HashMap<>();
    session.run(
        BoundStatement.query(
            READ_CANCEL_REQUESTS.call(),
            READ_CANCEL_REQUESTS.on("requests", tables.cancelRequests()),
            row -> reasons.put(row.getLong(1), row.getString(2)),
            (Object) batches));
    return reasons;
  }

  /** Removes the requests of batches that end in this transaction. */
  private void remove(Session session, long[] batches) throws SQLException {
    session.run(
        BoundStatement.update(
            REMOVE_CANCEL_REQUESTS.call(),
            REMOVE_CANCEL_REQUESTS.on("requests", tables.cancelRequests()),
            (Object) batches));
  }

  /**
   * Ends the requested tasks in the blocks of a batch before its other tasks return to the ring. A
   * task with a version returns nevertheless. Only its worker knew which version it ran, and a
   * newer one that came meanwhile must not be lost.
   */
  private static List<EndedTask> cancelUnsettled(
      Session session, TenantRef tenant, BatchLocation batch, Map<Long, String> reasons)
      throws SQLException {
    List<Long> tasks = List.copyOf(reasons.keySet());
    List<Object> binds = new ArrayList<>();
    binds.add(tasks.stream().mapToLong(Long::longValue).toArray());
    binds.add(tasks.stream().map(reasons::get).toArray(String[]::new));
    binds.addAll(batch.blocks().places());
    binds.add(batch.id());
    binds.add(TaskFlags.VERSIONED);
    return session.run(
        BoundStatement.query(
            CANCEL_UNSETTLED.call(),
            CANCEL_UNSETTLED.on("segment", tenant.tables().segment(batch.segment())),
            CancelRequests::ending,
            binds.toArray()));
  }

  private static EndedTask ending(ResultSet row) throws SQLException {
    return new EndedTask(
        row.getLong(1), row.getString(2), row.getInt(3), AttemptStateCode.CANCELLED, null);
  }
}
