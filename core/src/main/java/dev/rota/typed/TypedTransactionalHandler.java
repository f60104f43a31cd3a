package dev.rota.typed;

import dev.rota.DeliveryMode;
import dev.rota.Task;
import dev.rota.TransactionalHandler;
import dev.rota.Worker;
import java.sql.Connection;

/**
 * Runs one task with the value of its payload, inside the transaction that claimed it ({@link
 * DeliveryMode#TRANSACTIONAL}).
 *
 * @param <T> the type of the value
 * @see Worker.Builder#handleInTransaction(Kind, TypedTransactionalHandler)
 */
@FunctionalInterface
public interface TypedTransactionalHandler<T> {

  /**
   * Runs the task. Writes through the connection commit together with the task's outcome.
   *
   * @param value the value that the payload holds
   * @param task the task
   * @param connection the connection of the claim; see {@link TransactionalHandler#handle}
   * @throws Exception if the attempt failed; its writes are rolled back
   */
  void handle(T value, Task task, Connection connection) throws Exception;
}
