package dev.rota;

import dev.rota.history.History;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageHandler;
import dev.rota.pipeline.TransactionalStageHandler;
import java.time.Duration;
import java.util.concurrent.ExecutorService;

/**
 * Claims tasks of all tenants and runs their handlers, until it is closed. Thread-safe.
 *
 * <p>It visits only tenants whose tables changed, takes turns between them, and recovers by itself
 * when the database goes away and comes back.
 *
 * @see Rota#worker()
 */
public interface Worker extends AutoCloseable {

  /** How to build a worker. Not thread-safe. */
  interface Builder {

    /**
     * Runs tasks of a kind one by one.
     *
     * @param kind the kind
     * @param handler what runs them
     * @return this builder
     * @throws IllegalArgumentException if the kind is malformed or has a handler already
     */
    Builder handle(String kind, TaskHandler handler);

    /**
     * Runs tasks of a kind together, as many of one tenant as were claimed at once.
     *
     * @param kind the kind
     * @param handler what runs them
     * @return this builder
     * @throws IllegalArgumentException if the kind is malformed or has a handler already
     */
    Builder handleBatch(String kind, BatchHandler handler);

    /**
     * Runs tasks of a kind inside the claim's transaction; only with {@link
     * DeliveryMode#TRANSACTIONAL}.
     *
     * @param kind the kind
     * @param handler what runs them
     * @return this builder
     * @throws IllegalArgumentException if the kind is malformed or has a handler already
     */
    Builder handleInTransaction(String kind, TransactionalHandler handler);

    /**
     * Runs a stage of a pipeline, one task at a time. A task that passes it becomes pending at its
     * next stage in the transaction that settles this one. Not with {@link
     * DeliveryMode#FIRE_AND_FORGET}, which settles nothing.
     *
     * @param pipeline the pipeline
     * @param stage one of its stages; other workers may run the others
     * @param handler what runs the stage
     * @return this builder
     * @throws IllegalArgumentException if there is no such stage, or if it has a handler already
     */
    Builder stage(Pipeline pipeline, String stage, StageHandler handler);

    /**
     * Runs a stage of a pipeline inside the claim's transaction, in which the task also becomes
     * pending at its next stage; only with {@link DeliveryMode#TRANSACTIONAL}.
     *
     * @param pipeline the pipeline
     * @param stage one of its stages; other workers may run the others
     * @param handler what runs the stage
     * @return this builder
     * @throws IllegalArgumentException if there is no such stage, or if it has a handler already
     */
    Builder stageInTransaction(Pipeline pipeline, String stage, TransactionalStageHandler handler);

    /**
     * What the worker promises; {@link DeliveryMode#LEASED} by default.
     *
     * @param mode the mode
     * @return this builder
     */
    Builder delivery(DeliveryMode mode);

    /**
     * How many handlers run at the same time; the number of processors by default.
     *
     * @param handlers 1 to 10,000
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder concurrency(int handlers);

    /**
     * How many handlers of one kind run at the same time, within {@link #concurrency(int)}; as many
     * as that by default. A kind with a number of its own is also claimed by itself and takes turns
     * with the others, so that neither its backlog nor theirs holds up the other. Each such kind
     * costs a claim of its own wherever there may be work.
     *
     * @param kind a kind that this worker handles; for a batch handler each call counts as one
     * @param handlers 1 to 10,000
     * @return this builder
     * @throws IllegalArgumentException if out of range, or if the kind is malformed
     */
    Builder concurrency(String kind, int handlers);

    /**
     * Keeps some handlers from long tasks, so that the short ones of other tenants find one free. A
     * task is long if others of its kind and tenant ran longer than 20 milliseconds of late.
     * Without short tasks of other tenants for a minute, long ones may use every handler. A worker
     * that has just started expects such tasks, unless one tenant alone is registered.
     *
     * @param handlers from 0 to one less than the concurrency; by default a sixteenth of the
     *     concurrency, and one at least from a concurrency of eight on
     * @return this builder
     * @throws IllegalArgumentException if it is out of range
     */
    Builder headroom(int handlers);

    /**
     * Where handlers run; a pool of the worker's own by default. An executor of virtual threads
     * works. The worker submits at most {@link #concurrency(int)} jobs at a time and does not shut
     * down an executor that was supplied.
     *
     * @param executor the executor
     * @return this builder
     */
    Builder executor(ExecutorService executor);

    /**
     * The most tasks that one claim takes from one tenant; 1,000 by default, and at most 50 with
     * {@link DeliveryMode#TRANSACTIONAL}. The worker claims fewer when its handlers are slow.
     *
     * @param tasks 1 to 10,000
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder batchSize(int tasks);

    /**
     * Sets how many bytes of tasks the worker holds at most: those that wait for a handler, run, or
     * have run and are not settled. Counts two bytes for each character of a payload and 256 for
     * each task. A claim takes no more than an eighth of it, or one task, so that a batch may have
     * fewer tasks than {@link #batchSize}. A transactional worker holds one such claim for each
     * transaction that runs.
     *
     * @param bytes from 1,048,576 on; a quarter of the maximal heap by default
     * @return this builder
     * @throws IllegalArgumentException if it is out of range
     */
    Builder heldBytes(long bytes);

    /**
     * How failed tasks are retried; {@link RetryPolicy#defaults()} by default.
     *
     * @param policy the policy
     * @return this builder
     */
    Builder retry(RetryPolicy policy);

    /**
     * How failed tasks of one kind are retried, instead of by {@link #retry(RetryPolicy)}.
     *
     * @param kind a kind that this worker handles
     * @param policy the policy
     * @return this builder
     * @throws IllegalArgumentException if the kind is malformed
     */
    Builder retry(String kind, RetryPolicy policy);

    /**
     * How long handlers of a kind may run; without a limit by default. A handler that takes longer
     * is interrupted, and if it then throws, the attempt has failed. One that ignores the interrupt
     * goes on, and counts as done if it returns. For a batch handler the limit is that of the whole
     * call. With {@link DeliveryMode#TRANSACTIONAL} 30 seconds are the limit of every kind, which
     * this can only shorten.
     *
     * @param kind a kind that this worker handles
     * @param limit 1 millisecond to 30 days
     * @return this builder
     * @throws IllegalArgumentException if out of range, or if the kind is malformed
     */
    Builder timeLimit(String kind, Duration limit);

    /**
     * The longest pause between two looks at the tables while there is nothing to do; 100 ms by
     * default. Doorbells from producers shorten it. The worker lengthens it by itself so that
     * looking costs no more than 5 % of a core.
     *
     * @param interval 1 millisecond to 10 minutes
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder pollInterval(Duration interval);

    /**
     * Whether the worker adds up how many attempts end and how long they take, by tenant, kind and
     * hour, to be read by {@link History#statistics}; off by default. The sums are written every
     * five seconds and when the worker is closed: a process that is killed takes up to five seconds
     * of them with it. Nothing is counted twice, and only what was settled.
     *
     * @param on true to add them up
     * @return this builder
     */
    Builder hourlyStatistics(boolean on);

    /**
     * Starts the worker.
     *
     * @return the running worker
     * @throws IllegalStateException if no handler was given, or one that does not fit the delivery
     *     mode, or if a kind has a retry policy, a time limit or a concurrency and no handler
     */
    Worker start();
  }

  /**
   * What this worker has done since it was started.
   *
   * @return a snapshot
   */
  WorkerStatistics statistics();

  /**
   * Stops gracefully: claims nothing more, lets running handlers finish, hands back what did not
   * begin, and settles. Waits without a limit. Idempotent.
   */
  @Override
  void close();

  /**
   * Stops like {@link #close()}, but interrupts handlers that still run after the time limit; their
   * tasks are settled as failed, and retried.
   *
   * @param patience how long running handlers may take to finish
   * @return true if all finished by themselves
   */
  boolean close(Duration patience);
}
