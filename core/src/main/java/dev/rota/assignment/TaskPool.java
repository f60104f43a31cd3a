package dev.rota.assignment;

import dev.rota.TenantClosedException;
import java.sql.Connection;
import java.util.Collection;

/**
 * A pool of known tasks: assigns a free task to a worker that requests one. Thread-safe.
 *
 * <p>After "worker assignment under high concurrency" by the PostgreSQL team of Alibaba Cloud
 * (2017), where it is the function {@code set_tid}.
 */
public interface TaskPool extends AssignmentPool {

  /**
   * Adds tasks to the pool as free. Tasks already known stay as they are. All or none. The call
   * waits up to five seconds for transactions that are assigning one of them at this moment.
   *
   * @param tasks their numbers, chosen by the application
   * @return how many were not known before
   * @throws TenantClosedException if the tenant is closed
   */
  int add(Collection<Long> tasks);

  /**
   * Removes tasks from the pool: free ones at once, assigned ones when they are released. A task
   * that is assigned and released at the very moment of this call may stay; the count tells.
   *
   * @param tasks their numbers
   * @return how many of them leave the pool
   */
  int remove(Collection<Long> tasks);

  /**
   * Assigns any free task to a worker.
   *
   * @param worker the number of the worker, chosen by the application; it need not be known
   * @return the assignment, the older one of this worker, or {@link AssignmentResult.Busy}
   */
  AssignmentResult assign(long worker);

  /**
   * Assigns a free task to a worker inside the caller's transaction.
   *
   * @param connection a connection to the same database; it is neither committed nor closed
   * @param worker the number of the worker
   * @return as {@link #assign(long)}
   */
  AssignmentResult assign(Connection connection, long worker);

  /**
   * Ends an assignment whose task is done and removes the task from the pool, unlike {@link
   * #release(Assignment)}.
   *
   * @param assignment the assignment
   * @return as {@link #release(Assignment)}
   */
  boolean finish(Assignment assignment);

  /**
   * Ends an assignment whose task is done, inside the caller's transaction.
   *
   * @param connection a connection to the same database; it is neither committed nor closed
   * @param assignment the assignment
   * @return as {@link #release(Assignment)}
   */
  boolean finish(Connection connection, Assignment assignment);

  /**
   * Counts the free tasks, by reading all of them.
   *
   * @return how many are free
   */
  long countFree();
}
