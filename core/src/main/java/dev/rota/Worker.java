package dev.rota;

import dev.rota.history.History;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageHandler;
import dev.rota.pipeline.TransactionalStageHandler;
import dev.rota.pipeline.TypedStageHandler;
import dev.rota.pipeline.TypedTransactionalStageHandler;
import dev.rota.typed.Kind;
import dev.rota.typed.TaskKind;
import dev.rota.typed.TypedBatchHandler;
import dev.rota.typed.TypedHandler;
import dev.rota.typed.TypedTransactionalHandler;
import java.time.Duration;
import java.util.concurrent.ExecutorService;

/**
 * Claims tasks of all tenants and runs their handlers, until it is closed. Thread-safe.
 *
 * <p>It visits only tenants whose tables changed, alternates between them, and recovers by itself
 * when the database goes away and comes back.
 *
 * @see Rota#worker()
 */
public interface Worker extends AutoCloseable {

  /** Configures and starts a {@link Worker}. Not thread-safe. */
  interface Builder {

    /**
     * Registers a handler that runs the tasks of a kind one by one.
     *
     * @param kind the kind
     * @param handler the handler
     * @return this builder
     * @throws IllegalArgumentException if the kind is malformed or has a handler already
     */
    Builder handle(String kind, TaskHandler handler);

    /**
     * Registers a handler that runs the tasks of a kind together: all tasks of one tenant from one
     * claim.
     *
     * @param kind the kind
     * @param handler the handler
     * @return this builder
     * @throws IllegalArgumentException if the kind is malformed or has a handler already
     */
    Builder handleBatch(String kind, BatchHandler handler);

    /**
     * Registers a handler that runs the tasks of a kind inside the claim's transaction; only with
     * {@link DeliveryMode#TRANSACTIONAL}.
     *
     * @param kind the kind
     * @param handler the handler
     * @return this builder
     * @throws IllegalArgumentException if the kind is malformed or has a handler already
     */
    Builder handleInTransaction(String kind, TransactionalHandler handler);

    /**
     * Registers the handler of a pipeline stage, which runs one task at a time. A task that passes
     * it becomes pending at its next stage in the transaction that settles this one. Not with
     * {@link DeliveryMode#FIRE_AND_FORGET}, which settles nothing.
     *
     * @param pipeline the pipeline
     * @param stage one of its stages; other workers may run the others
     * @param handler the handler of the stage
     * @return this builder
     * @throws IllegalArgumentException if the pipeline has no such stage, or if it already has a
     *     handler
     */
    Builder stage(Pipeline pipeline, String stage, StageHandler handler);

    /**
     * Registers the handler of a pipeline stage that runs inside the claim's transaction; only with
     * {@link DeliveryMode#TRANSACTIONAL}. The task becomes pending at its next stage in the same
     * transaction.
     *
     * @param pipeline the pipeline
     * @param stage one of its stages; other workers may run the others
     * @param handler the handler of the stage
     * @return this builder
     * @throws IllegalArgumentException if the pipeline has no such stage, or if it already has a
     *     handler
     */
    Builder stageInTransaction(Pipeline pipeline, String stage, TransactionalStageHandler handler);

    /**
     * Registers a handler that runs the tasks of a typed kind one by one, with the values of their
     * payloads. It also runs tasks that are stored under a former name of the kind. A task whose
     * payload cannot be read is dead at once.
     *
     * @param <T> the type of the values
     * @param kind the kind
     * @param handler the handler
     * @return this builder
     * @throws IllegalArgumentException if the kind or a former name of it is malformed or has a
     *     handler already
     * @throws IllegalStateException if the {@link Rota} has no codec for the values
     */
    <T> Builder handle(Kind<T> kind, TypedHandler<? super T> handler);

    /**
     * Registers a handler that runs the tasks of a typed kind together: all tasks of one tenant
     * from one claim whose payloads can be read. The others are dead at once.
     *
     * @param <T> the type of the values
     * @param kind the kind; tasks under a former name form batches of their own
     * @param handler the handler
     * @return this builder
     * @throws IllegalArgumentException as {@link #handle(Kind, TypedHandler)}
     * @throws IllegalStateException if the {@link Rota} has no codec for the values
     */
    <T> Builder handleBatch(Kind<T> kind, TypedBatchHandler<T> handler);

    /**
     * Registers a handler that runs the tasks of a typed kind inside the claim's transaction; only
     * with {@link DeliveryMode#TRANSACTIONAL}.
     *
     * @param <T> the type of the values
     * @param kind the kind
     * @param handler the handler
     * @return this builder
     * @throws IllegalArgumentException as {@link #handle(Kind, TypedHandler)}
     * @throws IllegalStateException if the {@link Rota} has no codec for the values
     */
    <T> Builder handleInTransaction(Kind<T> kind, TypedTransactionalHandler<? super T> handler);

    /**
     * Registers a service that runs the tasks of an interface, each by the method with its kind.
     * What an exception of a method means is as with {@link TaskHandler}.
     *
     * @param <I> the interface
     * @param tasks an interface whose methods have {@link TaskKind}
     * @param service the service, which is called from several threads at once
     * @return this builder
     * @throws IllegalArgumentException if a method stands for no task, or if a kind has a handler
     *     already; the message names the method or the kind
     * @throws IllegalStateException if the {@link Rota} has no codec for the values
     * @see Tenant#tasks(Class)
     */
    <I> Builder handle(Class<I> tasks, I service);

    /**
     * Registers the handler of a pipeline stage with the values of its payloads; see {@link
     * #stage(Pipeline, String, StageHandler)}.
     *
     * @param <T> the type of the values
     * @param pipeline the pipeline
     * @param stage the kind of one of its stages: {@code Kind.of(pipeline.kind("parse"), ...)}
     * @param handler the handler of the stage
     * @return this builder
     * @throws IllegalArgumentException if the pipeline has no such stage, or if it already has a
     *     handler
     * @throws IllegalStateException if the {@link Rota} has no codec for the values
     */
    <T> Builder stage(Pipeline pipeline, Kind<T> stage, TypedStageHandler<? super T> handler);

    /**
     * Registers the handler of a pipeline stage with the values of its payloads, inside the claim's
     * transaction; see {@link #stageInTransaction(Pipeline, String, TransactionalStageHandler)}.
     *
     * @param <T> the type of the values
     * @param pipeline the pipeline
     * @param stage the kind of one of its stages
     * @param handler the handler of the stage
     * @return this builder
     * @throws IllegalArgumentException if the pipeline has no such stage, or if it already has a
     *     handler
     * @throws IllegalStateException if the {@link Rota} has no codec for the values
     */
    <T> Builder stageInTransaction(
        Pipeline pipeline, Kind<T> stage, TypedTransactionalStageHandler<? super T> handler);

    /**
     * Sets the delivery guarantee; {@link DeliveryMode#LEASED} by default.
     *
     * @param mode the mode
     * @return this builder
     */
    Builder delivery(DeliveryMode mode);

    /**
     * Sets how many handlers run at the same time; the number of processors by default.
     *
     * @param handlers 1 to 10,000
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder concurrency(int handlers);

    /**
     * Sets how many handlers of one kind run at the same time, within {@link #concurrency(int)}; as
     * many as that by default. A kind with its own number is claimed separately and takes turns
     * with the others, so that neither backlog delays the other. Each such kind costs a separate
     * claim at every tenant with work.
     *
     * @param kind a kind that this worker handles; for a batch handler each call counts as one
     * @param handlers 1 to 10,000
     * @return this builder
     * @throws IllegalArgumentException if out of range, or if the kind is malformed
     */
    Builder concurrency(String kind, int handlers);

    /**
     * Reserves some handlers for short tasks, so that long tasks of one tenant do not occupy all of
     * them. A task is long if others of its kind and tenant recently ran longer than 20
     * milliseconds. After a minute without short tasks of other tenants, long ones may use every
     * handler. A worker that has just started expects short tasks, unless only one tenant is
     * registered.
     *
     * @param handlers from 0 to one less than the concurrency. By default a sixteenth of the
     *     concurrency, and at least one from a concurrency of eight
     * @return this builder
     * @throws IllegalArgumentException if it is out of range
     */
    Builder headroom(int handlers);

    /**
     * Sets the executor that runs the handlers; a pool of the worker's own by default. An executor
     * of virtual threads works. The worker submits at most {@link #concurrency(int)} jobs at a time
     * and does not shut down an executor that was supplied.
     *
     * <p>An executor that is full must reject jobs: the worker submits them again. One that runs
     * them on the calling thread, as {@link
     * java.util.concurrent.ThreadPoolExecutor.CallerRunsPolicy} does, stops the claims of the
     * worker, and the heartbeats of the process at caps and rates, while its handlers run.
     *
     * @param executor the executor
     * @return this builder
     */
    Builder executor(ExecutorService executor);

    /**
     * Sets the most tasks that one claim takes from one tenant; 1,000 by default, and at most 50
     * with {@link DeliveryMode#TRANSACTIONAL}. The worker claims fewer when its handlers are slow.
     *
     * @param tasks 1 to 10,000
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder batchSize(int tasks);

    /**
     * Sets how many bytes of tasks the worker holds at most. Held tasks wait for a handler, run, or
     * have run and are not settled. A task counts 256 bytes, plus two for each character of its
     * payload, and of its error once it has failed. A claim takes no more than an eighth of the
     * limit, or one task, so that a batch may have fewer tasks than {@link #batchSize}. A
     * transactional worker holds one such claim for each running transaction.
     *
     * @param bytes from 1,048,576 on; a quarter of the maximal heap by default
     * @return this builder
     * @throws IllegalArgumentException if it is out of range
     */
    Builder heldBytes(long bytes);

    /**
     * Sets the retry policy of failed tasks; {@link RetryPolicy#defaults()} by default.
     *
     * @param policy the policy
     * @return this builder
     */
    Builder retry(RetryPolicy policy);

    /**
     * Sets the retry policy of one kind, instead of {@link #retry(RetryPolicy)}.
     *
     * @param kind a kind that this worker handles
     * @param policy the policy
     * @return this builder
     * @throws IllegalArgumentException if the kind is malformed
     */
    Builder retry(String kind, RetryPolicy policy);

    /**
     * Sets the time limit for handlers of a kind; no limit by default. A handler that takes longer
     * is interrupted, and if it then throws, the attempt has failed. A handler that ignores the
     * interrupt goes on, and counts as done if it returns. For a batch handler the limit applies to
     * the whole call. With {@link DeliveryMode#TRANSACTIONAL} every kind has a limit of 30 seconds,
     * which this can only shorten.
     *
     * @param kind a kind that this worker handles
     * @param limit 1 millisecond to 30 days
     * @return this builder
     * @throws IllegalArgumentException if out of range, or if the kind is malformed
     */
    Builder timeLimit(String kind, Duration limit);

    /**
     * Sets the longest pause between two polls of the tables while there is nothing to do; 100 ms
     * by default. Doorbells from producers shorten it. The worker lengthens it by itself so that
     * polling costs no more than 5 % of a core.
     *
     * @param interval 1 millisecond to 10 minutes
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder pollInterval(Duration interval);

    /**
     * Sets the pools that the worker serves: it runs tasks of tenants in these pools only, and
     * opens no table of others. By default it serves {@link dev.rota.limits.Limits#DEFAULT_POOL},
     * the pool of tenants that were given none. To serve that one too, name it: {@code
     * pools("default", "eu")}. A call replaces the pools of an earlier one.
     *
     * @param first a pool
     * @param more further pools
     * @return this builder
     * @throws IllegalArgumentException if a name is malformed
     * @see dev.rota.limits.Limits#pool
     */
    Builder pools(String first, String... more);

    /**
     * Sets how many workers visit a tenant, so that one that breaks its workers breaks only those.
     * By default all workers of its pool do. With shards each tenant has as many of the live
     * processes with such a worker, chosen by a hash of tenant and process. Others help once tasks
     * of the tenant have waited for 10 to 20 seconds. Give workers of a pool the same number and
     * the same kinds: tasks of a kind that none of the chosen ones handles wait for help. A process
     * counts as one worker.
     *
     * @param workers how many of them, 1 to 1,000; with fewer live ones all visit each tenant
     * @return this builder
     * @throws IllegalArgumentException if the number is out of range
     */
    Builder shards(int workers);

    /**
     * Sets whether the worker counts ended attempts and their durations by tenant, kind and hour,
     * for {@link History#statistics} and {@link Rota#insight}, and failed ones by error; off by
     * default. It writes the sums every five seconds and when it is closed: a killed process loses
     * up to five seconds of them. It counts only settled attempts, and none twice.
     *
     * @param on true to count them
     * @return this builder
     */
    Builder hourlyStatistics(boolean on);

    /**
     * Starts the worker.
     *
     * @return the running worker
     * @throws IllegalStateException if no handler was given, or one does not fit the delivery mode.
     *     Also if a kind has a retry policy, a time limit or a concurrency and no handler
     * @throws RotaClosedException if the Rota was closed, or is being closed
     */
    Worker start();
  }

  /**
   * The counters of this worker since it was started.
   *
   * @return a snapshot
   */
  WorkerStatistics statistics();

  /**
   * Stops gracefully: claims nothing more, lets running handlers finish, hands back tasks that did
   * not begin, and settles. Waits without a limit, unless another thread calls {@link
   * #close(Duration)} meanwhile. Idempotent.
   *
   * @throws IllegalStateException if a handler of this worker calls it, which would wait for itself
   */
  @Override
  void close();

  /**
   * Stops like {@link #close()}, but interrupts handlers that still run after the time limit; their
   * tasks are settled as failed, and retried. Of several callers the most impatient one sets the
   * limit, also for those that wait already.
   *
   * @param patience how long running handlers may take to finish
   * @return true if all finished by themselves
   * @throws IllegalStateException if a handler of this worker calls it, which would wait for itself
   */
  boolean close(Duration patience);
}
