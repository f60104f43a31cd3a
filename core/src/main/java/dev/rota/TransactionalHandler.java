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
   * @param connection the connection of the claim. Do not commit, roll back or close it, nor keep
   *     it. Its {@code search_path} is that of your pool
   * @throws Exception if the attempt failed
   */
  void handle(Task task, Connection connection) throws Exception;
}
