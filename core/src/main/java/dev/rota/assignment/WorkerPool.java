package dev.rota.assignment;

import java.sql.Connection;
import java.util.Collection;

/**
 * A pool of known workers: assigns a free worker to a task that requests one. Examples are
 * machines, sessions with a partner, or licences. Thread-safe.
 *
 * <p>After "worker assignment under high concurrency" by the PostgreSQL team of Alibaba Cloud
 * (2017), where it is the function {@code set_master}.
 */
public interface WorkerPool extends AssignmentPool {

  /**
   * Adds workers to the pool as free. Workers already known stay as they are. All or none. The call
   * waits up to five seconds for transactions that are assigning one of them at this moment.
   *
   * @param workers their numbers, chosen by the application
   * @return how many were not known before
   */
  int add(Collection<Long> workers);

  /**
   * Removes workers from the pool: free ones at once, assigned ones when they are released. A
   * worker that is assigned and released at the very moment of this call may stay; the count tells.
   *
   * @param workers their numbers
   * @return how many of them leave the pool
   */
  int remove(Collection<Long> workers);

  /**
   * Assigns any free worker to a task.
   *
   * @param task the number of the task, chosen by the application; it need not be known
   * @return the assignment, the older one of this task, or {@link AssignmentResult.Busy}
   */
  AssignmentResult assign(long task);

  /**
   * Assigns a free worker to a task inside the caller's transaction.
   *
   * @param connection a connection to the same database; it is neither committed nor closed
   * @param task the number of the task
   * @return as {@link #assign(long)}
   */
  AssignmentResult assign(Connection connection, long task);

  /**
   * Counts the free workers, by reading all of them.
   *
   * @return how many are free
   */
  long countFree();
}
