package dev.rota.typed.internal;

import dev.rota.BatchHandler;
import dev.rota.FatalTaskException;
import dev.rota.PartialFailureException;
import dev.rota.Task;
import dev.rota.typed.TypedBatchHandler;
import dev.rota.typed.TypedTask;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs several tasks together with their values. Tasks whose payloads cannot be read are dead, and
 * do not keep the others from running. Thread-safe.
 *
 * @param <T> the type of the values
 */
public final class ReadingBatchHandler<T> implements BatchHandler {

  private final PayloadReader<T> payloads;
  private final TypedBatchHandler<T> handler;

  public ReadingBatchHandler(PayloadReader<T> payloads, TypedBatchHandler<T> handler) {
    this.payloads = payloads;
    this.handler = handler;
  }

  @Override
  public void handle(List<Task> tasks) throws Exception {
    List<TypedTask<T>> readable = new ArrayList<>(tasks.size());
    Map<Long, Throwable> failures = new HashMap<>();
    for (Task task : tasks) {
      try {
        readable.add(new TypedTask<>(payloads.read(task), task));
      } catch (FatalTaskException e) {
        failures.put(task.id(), e);
      }
    }
    if (failures.isEmpty()) {
      handler.handle(readable);
      return;
    }
    if (!readable.isEmpty()) {
      failures.putAll(failuresOf(readable));
    }
    throw new PartialFailureException(failures);
  }

  private Map<Long, Throwable> failuresOf(List<TypedTask<T>> tasks) {
    try {
      handler.handle(tasks);
      return Map.of();
    } catch (PartialFailureException e) {
      return e.failures();
    } catch (Throwable e) {
      Map<Long, Throwable> all = new HashMap<>();
      tasks.forEach(task -> all.put(task.task().id(), e));
      return all;
    }
  }
}
