package dev.rota.internal;

import dev.rota.NewTask;
import dev.rota.spi.TaskObserver;
import dev.rota.spi.TaskObserver.EnqueuePath;
import dev.rota.spi.TaskObserver.Enqueued;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reports the enqueues of one tenant to an observer. Thread-safe.
 *
 * @param observer the observer
 * @param tenant the name of the tenant
 */
record ObservedEnqueue(TaskObserver observer, String tenant) {

  /** Runs an enqueue of the calling thread. */
  <T> T run(EnqueuePath path, List<NewTask> tasks, Supplier<T> enqueue) {
    long beganAt = System.nanoTime();
    T result;
    try {
      result = enqueue.get();
    } catch (RuntimeException | Error e) {
      report(path, List.of(), beganAt, e);
      throw e;
    }
    report(path, tasks, beganAt, null);
    return result;
  }

  /** Begins an asynchronous enqueue, which is reported when its future completes. */
  CompletableFuture<Long> begin(NewTask task, Supplier<CompletableFuture<Long>> enqueue) {
    long beganAt = System.nanoTime();
    CompletableFuture<Long> future = enqueue.get();
    var unused =
        future.whenComplete(
            (id, error) ->
                report(
                    EnqueuePath.ASYNC,
                    error == null ? List.of(task) : List.of(),
                    beganAt,
                    cause(error)));
    return future;
  }

  private static @Nullable Throwable cause(@Nullable Throwable error) {
    return error instanceof CompletionException wrapped && wrapped.getCause() != null
        ? wrapped.getCause()
        : error;
  }

  private void report(
      EnqueuePath path, List<NewTask> tasks, long beganAt, @Nullable Throwable error) {
    long nanos = System.nanoTime() - beganAt;
    observer.enqueued(new Enqueued(tenant, counted(tasks), path, nanos, error));
  }

  private static Map<String, Integer> counted(List<NewTask> tasks) {
    if (tasks.size() == 1) {
      return Map.of(tasks.get(0).kind(), 1);
    }
    Map<String, Integer> kinds = new HashMap<>();
    tasks.forEach(task -> kinds.merge(task.kind(), 1, Integer::sum));
    return kinds;
  }
}
