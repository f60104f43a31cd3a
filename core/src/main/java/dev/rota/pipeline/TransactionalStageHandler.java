package dev.rota.pipeline;

import dev.rota.DeliveryMode;
import dev.rota.Task;
import dev.rota.TransactionalHandler;
import dev.rota.Worker;
import java.sql.Connection;

/**
 * Runs one stage of a {@link Pipeline} for one task, inside the transaction that claimed it ({@link
 * DeliveryMode#TRANSACTIONAL}).
 *
 * @see Worker.Builder#stageInTransaction(Pipeline, String, TransactionalStageHandler)
 */
@FunctionalInterface
public interface TransactionalStageHandler {

  /**
   * Runs the stage. Writes through the connection commit together with the move of the task to its
   * next stage.
   *
   * @param task the task
   * @param connection the connection of the claim; see {@link TransactionalHandler#handle}
   * @return the stage to which the task goes
   * @throws Exception if the attempt failed; its writes are rolled back and the task is retried
   */
  StageResult handle(Task task, Connection connection) throws Exception;
}
