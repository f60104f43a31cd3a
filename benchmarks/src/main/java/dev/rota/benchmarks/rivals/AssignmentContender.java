package dev.rota.benchmarks.rivals;

import java.sql.SQLException;

/** Assigns workers to tasks, one to one, in a separate database. */
public interface AssignmentContender extends AutoCloseable {

  /** The kind of request. */
  enum Primitive {
    /** A task requests one of a thousand known workers, and releases it. */
    WORKER_FOR_TASK,
    /** A worker requests one of the known tasks, and keeps it. */
    TASK_FOR_WORKER,
    /** A given worker and a given task are assigned to each other, and released. */
    PAIR
  }

  /** The number of known workers. */
  int WORKERS = 1_000;

  /** The number of tasks that request known workers. */
  int ASKING_TASKS = 100_000;

  /** The number of workers, and of tasks, for pairs. */
  int PAIRED = 1_000_000;

  /**
   * Opens a contender.
   *
   * @param name {@code rota} or {@code original}
   * @param jdbcUrl a new database
   * @param primitive the kind of request
   * @return the contender, to be closed by the caller
   * @throws SQLException if it cannot create its tables
   */
  static AssignmentContender open(String name, String jdbcUrl, Primitive primitive)
      throws SQLException {
    return switch (name) {
      case "rota" -> new RotaAssignments(jdbcUrl, primitive);
      case "original" -> new OriginalAssignments(jdbcUrl, primitive);
      default -> throw new IllegalArgumentException("there is no contender " + name);
    };
  }

  /**
   * Removes all assignments, and adds the known members, outside the measurement.
   *
   * @param tasks the number of requests
   * @throws Exception if that fails
   */
  void fill(int tasks) throws Exception;

  /**
   * Opens a client.
   *
   * @return a client for one thread, to be closed by the caller
   * @throws Exception if it cannot connect
   */
  Client client() throws Exception;

  /**
   * Counts the assignments in its tables.
   *
   * @return their number
   * @throws Exception if that fails
   */
  long assigned() throws Exception;

  @Override
  void close() throws Exception;

  /** Sends requests, on one thread. */
  interface Client extends AutoCloseable {

    /**
     * Sends one request, and releases the assignment at once, unless tasks are known and keep their
     * workers.
     *
     * @param worker the number of the worker of the request or pair
     * @param task the number of the task of the request or pair
     * @return whether there was an assignment
     * @throws Exception if that fails
     */
    boolean ask(int worker, int task) throws Exception;

    @Override
    void close() throws Exception;
  }
}
