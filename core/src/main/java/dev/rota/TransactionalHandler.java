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
   * Runs the task. What it writes through the connection commits together with the task's outcome;
   * if it throws, that is rolled back and the task alone has failed.
   *
   * @param task the task
   * @param connection the connection of the claim. It refuses to commit and to roll back further
   *     than to a savepoint, and is not to be kept. Do not execute COMMIT or ROLLBACK as SQL
   *     either: tasks of the same claim would be lost. Its {@code search_path} is that of your pool
   * @throws Exception if the attempt failed
   */
  void handle(Task task, Connection connection) throws Exception;
}
