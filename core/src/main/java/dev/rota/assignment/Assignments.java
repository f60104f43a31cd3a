package dev.rota.assignment;

import dev.rota.InvalidNameException;
import dev.rota.Task;
import dev.rota.Worker;

/**
 * The pools of one tenant in which workers are assigned to tasks. Each task has at most one worker,
 * and each worker at most one task. They are independent of {@link Worker} and {@link Task}: the
 * application chooses the numbers of workers and tasks, and does the work.
 *
 * <p>The first process that opens a pool creates it. The first pool of a tenant creates its tables,
 * for which the role needs CREATE on the tenant's schema. Open pools before you begin a
 * transaction: opening needs a separate connection, and registers this process as a possible holder
 * of assignments.
 *
 * <p>Each method throws {@link InvalidNameException} for a name that is blank, longer than 200
 * characters or cannot be stored. It throws {@link IllegalArgumentException} if the pool exists and
 * is of another kind. Thread-safe.
 */
public interface Assignments {

  /**
   * Opens a pool of known workers, from which tasks request one.
   *
   * @param pool its name, unique among all pools of the tenant
   * @return the pool
   */
  WorkerPool workers(String pool);

  /**
   * Opens a pool of known tasks, from which workers request one.
   *
   * @param pool its name, unique among all pools of the tenant
   * @return the pool
   */
  TaskPool tasks(String pool);

  /**
   * Opens a pool that knows neither side in advance.
   *
   * @param pool its name, unique among all pools of the tenant
   * @return the pool
   */
  PairPool pairs(String pool);
}
