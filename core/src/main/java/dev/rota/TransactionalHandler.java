package dev.rota;

import java.sql.Connection;

/**
 * Runs one task inside the transaction that claimed it ({@link DeliveryMode#TRANSACTIONAL}).
 *
 * @see Worker.Builder#handleInTransaction(String, TransactionalHandler)
 */
@FunctionalInterface
public interface TransactionalHandler {

  /**
   * Runs the task. Writes through the connection commit together with the task's outcome. If the
   * handler throws, they are rolled back and only this task has failed.
   *
   * @param task the task
   * @param connection the connection of the claim. It refuses COMMIT, and ROLLBACK further than to
   *     a savepoint; do not keep it. Do not execute COMMIT or ROLLBACK as SQL either: tasks of the
   *     same claim would be lost. Its {@code search_path} is that of your pool
   * @throws Exception if the attempt failed
   */
  void handle(Task task, Connection connection) throws Exception;
}
