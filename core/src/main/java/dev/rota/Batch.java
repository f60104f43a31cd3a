package dev.rota;

import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageResult;
import java.time.Duration;
import java.util.List;

/**
 * The tasks that one claim moved from one tenant into its history. The batch is the lease: as long
 * as this {@link Rota} sends heartbeats it holds the tasks, and no other worker runs them.
 *
 * <p>Report exceptions with {@link #fail}, {@link #dead}, {@link #release} or {@link #move}, then
 * call {@link #settle()}: every task that was not reported is done. Closing a batch that was not
 * settled hands its tasks back to the ring.
 *
 * <p>Thread-safe: several threads may report outcomes of different tasks. Settling while another
 * thread still reports is an error of the caller.
 */
public interface Batch extends Iterable<Task>, AutoCloseable {

  /**
   * The number of the batch: the key of its row in the ledger, and the fencing token.
   *
   * @return the id of the batch; 0 for an empty batch, which has no row
   */
  long id();

  /**
   * The claimed tasks.
   *
   * @return an unmodifiable list, empty if the tenant had nothing to claim
   */
  List<Task> tasks();

  /**
   * Reports that the attempt failed. The task is tried again, or is dead after {@link
   * RetryPolicy#maxAttempts()} attempts, by the default policy of this {@link Rota}.
   *
   * @param task a task of this batch
   * @param error why; kept up to 4 KiB
   */
  void fail(Task task, Throwable error);

  /**
   * Reports that the attempt failed; the task becomes pending again after a pause.
   *
   * @param task a task of this batch
   * @param error why; kept up to 4 KiB
   * @param pause how long the task waits, by the clock of the database; zero or more
   */
  void fail(Task task, String error, Duration pause);

  /**
   * Reports that the attempt failed for good: the task is dead and gets no further attempt.
   *
   * @param task a task of this batch
   * @param error why; kept up to 4 KiB
   */
  void dead(Task task, String error);

  /**
   * Hands a task back to the ring as if it had not been claimed; its attempt does not count.
   *
   * @param task a task of this batch
   */
  void release(Task task);

  /**
   * Moves a task to another stage of its pipeline. The task is done at this stage and becomes
   * pending at the other one in the transaction that settles this batch.
   *
   * @param task a task of this batch, at a stage of the pipeline
   * @param pipeline the pipeline
   * @param result where the task goes; {@link StageResult#finish()} is the same as no report
   * @throws IllegalArgumentException if there is no such stage, or no next one
   * @throws InvalidTaskException if the payload breaks a limit
   */
  void move(Task task, Pipeline pipeline, StageResult result);

  /**
   * Writes all outcomes and closes the batch, in one transaction. A second call does nothing and
   * returns the first result.
   *
   * @return how many outcomes were written
   * @throws DatabaseException if the database refused the transaction or could not be reached; the
   *     batch stays open, and the caller may settle it again
   */
  SettleResult settle();

  /** Hands back every task of a batch that was not settled. Idempotent. */
  @Override
  void close();

  /**
   * The result of settling a batch.
   *
   * @param settled how many tasks were settled as reported
   * @param lost how many outcomes were dropped because the batch had already lost its lease
   */
  record SettleResult(int settled, int lost) {

    /**
     * Whether the lease was lost before the outcomes were written.
     *
     * @return true if nothing was written
     */
    public boolean leaseLost() {
      return lost > 0;
    }
  }
}
