package dev.rota.internal.settle;

import dev.rota.NewTask;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.enqueue.TaskInserts;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.internal.settle.ClaimedBatch.Settlement;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The hooks of a feature in the life of tasks: the kernel calls them inside its own transactions.
 * It calls a feature only for marked tasks: with a key, or a bit of the column {@code traits}.
 * Tasks without marks cost nothing. Thread-safe.
 */
public interface TaskExtension {

  /** The bits of {@link TaskFlags} that belong to this feature. */
  default int traits() {
    return 0;
  }

  /** Whether tasks with keys belong to this feature; at most one feature takes them. */
  default boolean takesKeys() {
    return false;
  }

  /** Whether the tenant has the tables that the marks of this feature need. */
  default boolean hasTables(Session session, TenantRef tenant) throws SQLException {
    return true;
  }

  /** Creates these tables if they are missing, outside the transaction that stores tasks. */
  default void prepare(TenantRef tenant) {}

  /**
   * Stores new tasks with keys. By default all of them are stored under the given ids.
   *
   * @param ids an id for each task, used if it is new
   * @return the id of each task, which may be that of an earlier one
   */
  default long[] admit(Session session, TenantRef tenant, List<NewTask> tasks, long[] ids)
      throws SQLException {
    for (BoundStatement<Integer> insertion : TaskInserts.of(tenant, tasks, ids)) {
      session.run(insertion);
    }
    return ids;
  }

  /**
   * Called when tasks are in history, and their batch is not yet in the ledger; may replace their
   * payloads.
   *
   * @param segment the segment of history that holds them
   * @param tasks the tasks of one claim, some of which have flags of this feature
   * @return the tasks to run, in the same order
   */
  default List<ClaimedTask> claimed(
      Session session, TenantRef tenant, int segment, List<ClaimedTask> tasks) throws SQLException {
    return tasks;
  }

  /**
   * Whether cancellation of a running task was requested. Handlers call this often, and outside of
   * transactions.
   *
   * @param worker the number of this process as a worker
   */
  default boolean isAskedToEnd(long worker, long batch, long task) {
    return false;
  }

  /**
   * Called when batches are locked in the ledger, and no outcome is written yet; may replace
   * outcomes. Not called where handlers ran in the transaction of their claim.
   *
   * @return the outcomes to write instead of reported ones; empty to replace none
   */
  default Map<Outcome, Outcome> settling(Session session, List<Settlement> settlements)
      throws SQLException {
    return Map.of();
  }

  /**
   * Called when a batch is closed in the ledger, and its unsettled tasks are about to return to the
   * ring.
   *
   * @return ends some of the tasks instead, or null
   */
  default @Nullable Returning returning(Session session, TenantRef tenant, BatchLocation batch)
      throws SQLException {
    return null;
  }

  /** Ends tasks of a batch that returns to the ring. Used by one thread, in one transaction. */
  interface Returning {

    /** Ends tasks in the blocks of the batch, before the others return from there. */
    List<EndedTask> end(BatchLocation batch) throws SQLException;

    /** Called when all tasks of the batch have ended or returned. */
    void finish() throws SQLException;
  }

  /**
   * Called when tasks end for good in this transaction, and only for tasks whose end it writes. An
   * interim settle whose answer was lost may be repeated, so that rows of the feature must guard
   * the effect.
   *
   * @param ended tasks of the tenant with marks of any feature, by ascending id
   */
  default void ended(Session session, TenantRef tenant, List<EndedTask> ended)
      throws SQLException {}

  /**
   * A marked task that ended for good.
   *
   * @param id the task
   * @param key its key, if it has one
   * @param traits bits of {@link TaskFlags}
   * @param state done, dead or cancelled
   * @param attachment the attachment of a feature from its claim; null if there is none, or it
   *     never ran
   */
  record EndedTask(
      long id,
      @Nullable String key,
      int traits,
      AttemptStateCode state,
      ClaimedTask.@Nullable Attachment attachment) {

    /** Whether features have to be called for this end. */
    public boolean isMarked() {
      return key != null || traits != 0;
    }

    public boolean has(int trait) {
      return (traits & trait) != 0;
    }
  }
}
