package dev.rota;

/**
 * Runs one task. Called from several threads at once, so it must be thread-safe.
 *
 * @see Worker.Builder#handle(String, TaskHandler)
 */
@FunctionalInterface
public interface TaskHandler {

  /**
   * Runs the task. A normal return means that the task is done.
   *
   * @param task the task
   * @throws Exception if the attempt failed. Its text is kept. The task is retried by the policy of
   *     the worker, unless the exception is a {@link RetryAfterException} or a {@link
   *     FatalTaskException}
   */
  void handle(Task task) throws Exception;
}
