package dev.rota.assignment;

import dev.rota.InvalidNameException;
import dev.rota.Task;
import dev.rota.Worker;

/**
 * The pools of one tenant in which workers are assigned to tasks: each task has one worker at most,
 * and each worker one task. Apart from {@link Worker} and {@link Task}: who works and what is done
 * are numbers of yours, and the work is yours too.
 *
 * <p>A pool is made when it is opened for the first time, by whatever process. The first one of a
 * tenant makes its tables, for which the role needs CREATE on the tenant's schema. Open pools
 * before you begin a transaction: opening needs a connection of its own, and registers this process
 * as one that may hold assignments.
 *
 * <p>Each method throws {@link InvalidNameException} for a name that is blank, longer than 200
 * characters or cannot be stored, and {@link IllegalArgumentException} if the pool exists and is of
 * another kind. Thread-safe.
 */
public interface Assignments {

  /**
   * Opens a pool of known workers, where tasks ask.
   *
   * @param pool its name, unique among all pools of the tenant
   * @return the pool
   */
  WorkerPool workers(String pool);

  /**
   * Opens a pool of known tasks, where workers ask.
   *
   * @param pool its name, unique among all pools of the tenant
   * @return the pool
   */
  TaskPool tasks(String pool);

  /**
   * Opens a pool that knows neither beforehand.
   *
   * @param pool its name, unique among all pools of the tenant
   * @return the pool
   */
  PairPool pairs(String pool);
}
