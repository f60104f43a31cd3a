package dev.rota.internal;

import dev.rota.NewTask;
import dev.rota.internal.text.HeaderLine;
import dev.rota.spi.TaskObserver;
import dev.rota.spi.TaskObserver.EnqueuePath;
import dev.rota.spi.TaskObserver.EnqueueTrace;
import dev.rota.spi.TaskObserver.Enqueued;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reports the enqueues of one tenant to an observer, and gives their tasks its headers.
 * Thread-safe.
 *
 * @param observer the observer
 * @param tenant the name of the tenant
 */
record ObservedEnqueue(TaskObserver observer, String tenant) {

  /** An enqueue that has begun. */
  private record Begun(
      EnqueuePath path, Map<String, Integer> kinds, @Nullable EnqueueTrace trace, long beganAt) {

    Map<String, String> headers() {
      return trace == null ? Map.of() : trace.headers();
    }
  }

  /** Runs an enqueue of the calling thread. */
  <T> T run(EnqueuePath path, List<NewTask> tasks, Function<List<NewTask>, T> enqueue) {
    Begun begun = begin(path, tasks);
    T result;
    try {
      result = enqueue.apply(traced(tasks, begun.headers()));
    } catch (RuntimeException | Error e) {
      report(begun, e);
      throw e;
    }
    report(begun, null);
    return result;
  }

  /** Begins an asynchronous enqueue, which is reported when its future completes. */
  CompletableFuture<Long> begin(NewTask task, Function<NewTask, CompletableFuture<Long>> enqueue) {
    Begun begun = begin(EnqueuePath.ASYNC, Collections.singletonList(task));
    CompletableFuture<Long> future;
    try {
      future = enqueue.apply(traced(task, begun.headers()));
    } catch (RuntimeException | Error e) {
      report(begun, e);
      throw e;
    }
    var unused = future.whenComplete((id, error) -> report(begun, cause(error)));
    return future;
  }

  private Begun begin(EnqueuePath path, List<NewTask> tasks) {
    Map<String, Integer> kinds = counted(tasks);
    return new Begun(path, kinds, observer.enqueuing(tenant, kinds, path), System.nanoTime());
  }

  private static List<NewTask> traced(List<NewTask> tasks, Map<String, String> headers) {
    return headers.isEmpty() ? tasks : tasks.stream().map(task -> traced(task, headers)).toList();
  }

  /**
   * Adds headers to a task, whose own ones stay. One that has too many of its own is stored without
   * them.
   */
  private static NewTask traced(NewTask task, Map<String, String> headers) {
    NewTask traced = task.withHeaders(headers).withHeaders(task.headers());
    return HeaderLine.fits(traced.headers()) ? traced : task;
  }

  private static @Nullable Throwable cause(@Nullable Throwable error) {
    return error instanceof CompletionException wrapped && wrapped.getCause() != null
        ? wrapped.getCause()
        : error;
  }

  private void report(Begun begun, @Nullable Throwable error) {
    long nanos = System.nanoTime() - begun.beganAt;
    if (begun.trace != null) {
      begun.trace.ended(error);
    }
    Map<String, Integer> stored = error == null ? begun.kinds : Map.of();
    observer.enqueued(new Enqueued(tenant, stored, begun.path, nanos, error));
  }

  /** Counts tasks by kind; the enqueue refuses a null. */
  private static Map<String, Integer> counted(List<NewTask> tasks) {
    if (tasks.size() == 1 && tasks.get(0) != null) {
      return Map.of(tasks.get(0).kind(), 1);
    }
    Map<String, Integer> kinds = new HashMap<>();
    tasks.stream()
        .filter(Objects::nonNull)
        .forEach(task -> kinds.merge(task.kind(), 1, Integer::sum));
    return kinds;
  }
}
