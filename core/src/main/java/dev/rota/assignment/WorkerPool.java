package dev.rota.assignment;

import java.sql.Connection;
import java.util.Collection;

/**
 * A pool of known workers: a task asks, and gets a free one. Such are machines, sessions with a
 * partner, or licences. Thread-safe.
 *
 * <p>After "worker assignment under high concurrency" by the PostgreSQL team of Alibaba Cloud
 * (2017), where it is the function {@code set_master}.
 */
public interface WorkerPool extends AssignmentPool {

  /**
   * Makes workers known, and free. Those that are known already stay as they are. All or none.
   * Waits, for up to five seconds, for transactions that are assigning one of them at this moment.
   *
   * @param workers their numbers, which are yours
   * @return how many were not known before
   */
  int add(Collection<Long> workers);

  /**
   * Takes workers out of the pool: free ones at once, assigned ones when they are released. One
   * that is assigned and released in the very moment of this call may stay; the count tells.
   *
   * @param workers their numbers
   * @return how many of them leave
   */
  int remove(Collection<Long> workers);

  /**
   * Assigns a free worker, any one, to a task.
   *
   * @param task the number of the task, which is yours; it need not be known
   * @return the assignment, the older one of this task, or that there is none to be had
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
