package dev.rota.assignment;

import dev.rota.TenantClosedException;
import java.sql.Connection;
import java.util.Collection;

/**
 * A pool of known tasks: a worker asks, and gets one that nobody is at. Thread-safe.
 *
 * <p>After "worker assignment under high concurrency" by the PostgreSQL team of Alibaba Cloud
 * (2017), where it is the function {@code set_tid}.
 */
public interface TaskPool extends AssignmentPool {

  /**
   * Makes tasks known, and free. Those that are known already stay as they are. All or none. Waits,
   * for up to five seconds, for transactions that are assigning one of them at this moment.
   *
   * @param tasks their numbers, which are yours
   * @return how many were not known before
   * @throws TenantClosedException if the tenant is closed
   */
  int add(Collection<Long> tasks);

  /**
   * Takes tasks out of the pool: free ones at once, assigned ones when they are released. One that
   * is assigned and released in the very moment of this call may stay; the count tells.
   *
   * @param tasks their numbers
   * @return how many of them leave
   */
  int remove(Collection<Long> tasks);

  /**
   * Assigns a free task, any one, to a worker.
   *
   * @param worker the number of the worker, which is yours; it need not be known
   * @return the assignment, the older one of this worker, or that there is none to be had
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
   * Ends an assignment whose task is done: unlike after {@link #release(Assignment)}, the pool does
   * not know the task any more.
   *
   * @param assignment what is held
   * @return as {@link #release(Assignment)}
   */
  boolean finish(Assignment assignment);

  /**
   * Ends an assignment whose task is done, inside the caller's transaction.
   *
   * @param connection a connection to the same database; it is neither committed nor closed
   * @param assignment what is held
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
