package dev.rota.typed;

import dev.rota.FatalTaskException;
import dev.rota.RetryAfterException;
import dev.rota.Task;
import dev.rota.Worker;

/**
 * Runs one task with the value of its payload. Called from several threads at once, so it must be
 * thread-safe.
 *
 * @param <T> the type of the value
 * @see Worker.Builder#handle(Kind, TypedHandler)
 */
@FunctionalInterface
public interface TypedHandler<T> {

  /**
   * Runs the task. A normal return means that the task is done.
   *
   * @param value the value that the payload holds
   * @param task the task
   * @throws Exception if the attempt failed. The task is retried by the policy of the worker,
   *     unless the exception is a {@link RetryAfterException} or a {@link FatalTaskException}
   */
  void handle(T value, Task task) throws Exception;
}
