package dev.rota.assignment;

import java.sql.Connection;

/**
 * A pool without known workers or tasks: assigns a given worker to a given task if both are free.
 * Thread-safe.
 *
 * <p>After "worker assignment under high concurrency" by the PostgreSQL team of Alibaba Cloud
 * (2017), where it is an insert under two try-locks.
 */
public interface PairPool extends AssignmentPool {

  /**
   * Assigns a worker to a task.
   *
   * @param worker the number of the worker, chosen by the application
   * @param task the number of the task, chosen by the application
   * @return the assignment; the older one of the task, or else of the worker; or {@link
   *     AssignmentResult.Reason#CONTENDED} while another transaction decides about one of them
   */
  AssignmentResult assign(long worker, long task);

  /**
   * Assigns a worker to a task inside the caller's transaction.
   *
   * @param connection a connection to the same database; it is neither committed nor closed
   * @param worker the number of the worker
   * @param task the number of the task
   * @return as {@link #assign(long, long)}
   */
  AssignmentResult assign(Connection connection, long worker, long task);
}
