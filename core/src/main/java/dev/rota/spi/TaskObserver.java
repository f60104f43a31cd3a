package dev.rota.spi;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Is told what happens to the tasks of one {@code Rota}, for metrics and tracing. All methods do
 * nothing by default. Without an observer Rota measures and reports nothing.
 *
 * <p>Rota calls it on its own threads, several at a time, and waits for its return: a slow observer
 * makes tasks slow. No transaction of Rota is open meanwhile, except in transactional workers. What
 * the observer throws never reaches a task: Rota drops it, and logs it once a minute. An observer
 * must not call the {@code Rota} that it observes.
 *
 * <p>It is told of enqueues by a {@code Tenant}, and of what workers and daemons of this process
 * do. Tasks that a graph, a schedule or SQL stores, and those of {@code Tenant.claim}, are missing
 * where this process does not run them.
 */
public interface TaskObserver {

  /**
   * Called on the thread of the caller before an enqueue. What it returns gives headers to the
   * tasks, such as the context of a trace, and is told when the enqueue is over.
   *
   * @param tenant the name of the tenant
   * @param kinds the number of tasks of each kind
   * @param path its way
   * @return what accompanies the enqueue, or null
   */
  default @Nullable EnqueueTrace enqueuing(
      String tenant, Map<String, Integer> kinds, EnqueuePath path) {
    return null;
  }

  /**
   * Called when an enqueue has returned or failed. The thread is that of the caller; for an
   * asynchronous one, that which completes its future.
   *
   * @param enqueued the enqueue
   */
  default void enqueued(Enqueued enqueued) {}

  /**
   * Called on a claiming thread of a worker after each try to claim.
   *
   * @param claimed the try
   */
  default void claimed(Claimed claimed) {}

  /**
   * Tells of which calls of handlers the observer wants to be told. Asked once for each worker;
   * what it does not want costs nothing.
   *
   * @return the calls; all by default
   */
  default HandlerCalls handlerCalls() {
    return HandlerCalls.ALL;
  }

  /**
   * Tells whether the observer wants {@link #ended}. Asked once for each worker, which otherwise
   * does not take the times of attempts.
   *
   * @return whether it does; true by default
   */
  default boolean endedAttempts() {
    return true;
  }

  /**
   * Called on the thread of a handler before it is called, if {@link #handlerCalls} says so. What
   * this method binds to the thread, such as a span, the handler sees.
   *
   * @param call the call
   */
  default void begun(HandlerCall call) {}

  /**
   * Called on the same thread after the handler has returned or thrown, once for each call of
   * {@link #begun}. Its outcome is not settled yet.
   *
   * @param call the object that {@link #begun} was given
   * @param error the error text of the first task that did not succeed, which begins with the class
   *     of the exception; null if all did
   */
  default void returned(HandlerCall call, @Nullable String error) {}

  /**
   * Called when outcomes are committed, and each only once: no later failure changes them. A worker
   * that fires and forgets calls it after the handlers, as it commits nothing then.
   *
   * @param attempts attempts of one batch, and so of one tenant; never empty
   */
  default void ended(List<? extends EndedAttempt> attempts) {}

  /**
   * Called after each try of a worker to settle batches. Workers in other delivery modes than the
   * leased one settle nothing by itself.
   *
   * @param settled the try
   */
  default void settled(Settled settled) {}

  /**
   * Called when the outcomes of a batch were dropped, because its lease was over. Other workers run
   * its tasks again.
   *
   * @param tenant the name of the tenant
   * @param tasks how many tasks the batch has
   */
  default void lost(String tenant, int tasks) {}

  /**
   * Called when a worker has started.
   *
   * @param load reads its load from memory, at any time; the same object ends with {@link
   *     #workerClosed}
   */
  default void workerStarted(Supplier<WorkerLoad> load) {}

  /**
   * Called when a worker was closed.
   *
   * @param load the object that {@link #workerStarted} was given
   */
  default void workerClosed(Supplier<WorkerLoad> load) {}

  /**
   * Called when a daemon has started.
   *
   * @param load reads its counters from memory, at any time; the same object ends with {@link
   *     #daemonClosed}
   */
  default void daemonStarted(Supplier<DaemonLoad> load) {}

  /**
   * Called when a daemon was closed.
   *
   * @param load the object that {@link #daemonStarted} was given
   */
  default void daemonClosed(Supplier<DaemonLoad> load) {}

  /** Accompanies one enqueue. Used by one thread at a time. */
  interface EnqueueTrace {

    /**
     * The headers for its tasks. A header that a task has already stays as it is. If one is
     * malformed, all are left out, and the log names it.
     *
     * @return the values by their names, see {@code NewTask.withHeader}; empty by default
     */
    default Map<String, String> headers() {
      return Map.of();
    }

    /**
     * Called once when the enqueue is over, before {@link #enqueued}.
     *
     * @param error why it failed, so that nothing is stored; null if it succeeded
     */
    default void ended(@Nullable Throwable error) {}
  }

  /** The calls of handlers of which an observer is told. */
  enum HandlerCalls {
    /** None: its {@link #begun} and {@link #returned} are never called. */
    NONE,
    /** Those with a task that carries headers, such as the context of a trace. */
    WITH_HEADERS,
    /** All of them. */
    ALL
  }

  /** The way of an enqueue. */
  enum EnqueuePath {
    /** {@code enqueue} of one task. */
    SINGLE,
    /** {@code enqueueAll}. */
    BULK,
    /** {@code enqueueAsync}. */
    ASYNC,
    /** In the transaction of the caller, who may still roll it back. */
    CALLER
  }

  /**
   * An enqueue that is over.
   *
   * @param tenant the name of the tenant
   * @param kinds the number of tasks of each kind; empty if it failed. A task whose key was taken
   *     counts too
   * @param path its way
   * @param nanos how long the caller waited for it
   * @param error why it failed, so that nothing is stored; null if it succeeded
   */
  record Enqueued(
      String tenant,
      Map<String, Integer> kinds,
      EnqueuePath path,
      long nanos,
      @Nullable Throwable error) {}

  /**
   * A try to claim from some tenants in one transaction.
   *
   * @param tenants how many tenants were asked
   * @param batches how many of them had tasks
   * @param tasks how many tasks were claimed
   * @param nanos how long it took
   * @param failed whether it failed, so that the worker tries again
   */
  record Claimed(int tenants, int batches, int tasks, long nanos, boolean failed) {}

  /**
   * One call of a handler.
   *
   * @param tenant the name of the tenant
   * @param kind the kind of its tasks
   * @param runs its tasks, at least one; more only for a batch handler
   */
  record HandlerCall(String tenant, String kind, List<TaskRun> runs) {}

  /**
   * A task in a call of a handler.
   *
   * @param task the id of the task
   * @param attempt the number of the attempt, from 1 on
   * @param headers the headers of the task
   */
  record TaskRun(long task, int attempt, Map<String, String> headers) {}

  /**
   * A try to settle some batches in one transaction.
   *
   * @param batches how many batches
   * @param nanos how long it took
   * @param delayNanos the longest time from the end of the last task of a batch to its commit; -1
   *     if it failed or no batch has ended
   * @param failed whether it failed, so that the worker tries again
   */
  record Settled(int batches, long nanos, long delayNanos, boolean failed) {}
}
