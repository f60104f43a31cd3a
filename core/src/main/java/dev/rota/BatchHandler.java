package dev.rota;

import java.util.List;

/**
 * Runs several tasks of one kind and one tenant together. Called from several threads at once, so
 * it must be thread-safe.
 *
 * @see Worker.Builder#handleBatch(String, BatchHandler)
 */
@FunctionalInterface
public interface BatchHandler {

  /**
   * Runs the tasks. Returning normally means that all are done.
   *
   * @param tasks the tasks, at least one
   * @throws PartialFailureException if only the tasks it names failed
   * @throws Exception if all of them failed
   */
  void handle(List<Task> tasks) throws Exception;
}
