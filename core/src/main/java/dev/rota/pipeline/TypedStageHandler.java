package dev.rota.pipeline;

import dev.rota.Task;
import dev.rota.Worker;
import dev.rota.typed.Kind;

/**
 * Runs one stage of a {@link Pipeline} for one task, with the value of its payload. Called from
 * several threads at once, so it must be thread-safe.
 *
 * @param <T> the type of the value
 * @see Worker.Builder#stage(Pipeline, Kind, TypedStageHandler)
 */
@FunctionalInterface
public interface TypedStageHandler<T> {

  /**
   * Runs the stage.
   *
   * @param value the value that the payload holds
   * @param task the task
   * @return the stage to which the task goes, such as {@link StageResult#moveTo(Kind, Object)}
   * @throws Exception if the attempt failed; the task is retried at this stage
   */
  StageResult handle(T value, Task task) throws Exception;
}
