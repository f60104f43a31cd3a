package dev.rota.typed;

import dev.rota.PartialFailureException;
import dev.rota.Worker;
import java.util.List;

/**
 * Runs several tasks of one kind and one tenant together, with the values of their payloads. Called
 * from several threads at once, so it must be thread-safe.
 *
 * @param <T> the type of the values
 * @see Worker.Builder#handleBatch(Kind, TypedBatchHandler)
 */
@FunctionalInterface
public interface TypedBatchHandler<T> {

  /**
   * Runs the tasks. Returning normally means that all are done.
   *
   * @param tasks the tasks whose payloads could be read, at least one
   * @throws PartialFailureException if only the tasks it names failed
   * @throws Exception if all of them failed
   */
  void handle(List<TypedTask<T>> tasks) throws Exception;
}
