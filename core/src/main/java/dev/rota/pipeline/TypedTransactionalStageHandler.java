package dev.rota.pipeline;

import dev.rota.DeliveryMode;
import dev.rota.Task;
import dev.rota.TransactionalHandler;
import dev.rota.Worker;
import dev.rota.typed.Kind;
import java.sql.Connection;

/**
 * Runs one stage of a {@link Pipeline} for one task, with the value of its payload, inside the
 * transaction that claimed it ({@link DeliveryMode#TRANSACTIONAL}).
 *
 * @param <T> the type of the value
 * @see Worker.Builder#stageInTransaction(Pipeline, Kind, TypedTransactionalStageHandler)
 */
@FunctionalInterface
public interface TypedTransactionalStageHandler<T> {

  /**
   * Runs the stage.
   *
   * @param value the value that the payload holds
   * @param task the task
   * @param connection the connection of the claim; see {@link TransactionalHandler#handle}
   * @return the stage to which the task goes, such as {@link StageResult#moveTo(Kind, Object)}
   * @throws Exception if the attempt failed; its writes are rolled back and the task is retried
   */
  StageResult handle(T value, Task task, Connection connection) throws Exception;
}
