package dev.rota.benchmarks.rivals;

import java.sql.SQLException;

/** A way to assign workers to tasks, one to one, in a database of its own. */
public interface AssignmentContender extends AutoCloseable {

  /** Which question is asked. */
  enum Primitive {
    /** A task asks for one of a thousand known workers, and releases it. */
    WORKER_FOR_TASK,
    /** A worker asks for one of the known tasks, and keeps it. */
    TASK_FOR_WORKER,
    /** A worker and a task are given, and the pair is released. */
    PAIR
  }

  /** How many workers are known where tasks ask. */
  int WORKERS = 1_000;

  /** Out of how many tasks one asks where workers are known. */
  int ASKING_TASKS = 100_000;

  /** Out of how many workers, and tasks, a pair is made. */
  int PAIRED = 1_000_000;

  /**
   * Opens a contender.
   *
   * @param name {@code rota} or {@code original}
   * @param jdbcUrl a new database
   * @param primitive what it will be asked
   * @return the contender, to be closed by the caller
   * @throws SQLException if it cannot make its tables
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
   * Forgets all assignments, and makes known what is to be given, outside the measurement.
   *
   * @param tasks how many questions there will be
   * @throws Exception if that fails
   */
  void fill(int tasks) throws Exception;

  /**
   * A way to ask.
   *
   * @return a client for one thread, to be closed by the caller
   * @throws Exception if it cannot connect
   */
  Client client() throws Exception;

  /**
   * Counts the assignments that stand in its tables.
   *
   * @return how many there are
   * @throws Exception if that fails
   */
  long assigned() throws Exception;

  @Override
  void close() throws Exception;

  /** Asks, on one thread. */
  interface Client extends AutoCloseable {

    /**
     * Asks once, and releases at once what it got, unless tasks are known and keep their workers.
     *
     * @param worker the number of the worker that asks or is to be paired
     * @param task the number of the task that asks or is to be paired
     * @return whether there was an assignment
     * @throws Exception if that fails
     */
    boolean ask(int worker, int task) throws Exception;

    @Override
    void close() throws Exception;
  }
}
