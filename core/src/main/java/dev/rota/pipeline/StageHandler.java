package dev.rota.pipeline;

import dev.rota.Task;
import dev.rota.TaskHandler;
import dev.rota.Worker;

/**
 * Runs one stage of a {@link Pipeline} for one task. Called from several threads at once, so it
 * must be thread-safe.
 *
 * @see Worker.Builder#stage(Pipeline, String, StageHandler)
 */
@FunctionalInterface
public interface StageHandler {

  /**
   * Runs the stage.
   *
   * @param task the task
   * @return the stage to which the task goes
   * @throws Exception if the attempt failed; the task is retried at this stage, like a task of a
   *     failed {@link TaskHandler}
   */
  StageResult handle(Task task) throws Exception;
}
