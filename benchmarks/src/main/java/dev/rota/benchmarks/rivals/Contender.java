package dev.rota.benchmarks.rivals;

/**
 * Stores and runs tasks in a separate database. Every contender does the same work: stores each
 * task durably, passes each to a handler that does nothing, and records durably that it is done.
 */
public interface Contender extends AutoCloseable {

  /**
   * Opens a producer.
   *
   * @return a producer for one thread, to be closed by the caller
   * @throws Exception if it cannot connect
   */
  RivalProducer producer() throws Exception;

  /**
   * Stores the tasks of the next {@link #drain}, outside the measurement.
   *
   * @param tasks a multiple of the number of tenants; each gets the same number
   * @throws Exception if that fails
   */
  void fill(int tasks) throws Exception;

  /**
   * Runs all stored tasks, until each was run and recorded as done.
   *
   * @param tasks the number of stored tasks
   * @throws Exception if that fails
   */
  void drain(int tasks) throws Exception;

  /**
   * Starts consumers that run beside producers.
   *
   * @return the running consumers, to be closed by the caller
   * @throws Exception if they do not start
   * @throws UnsupportedOperationException if this contender takes no part in mixed load
   */
  default Consumption consume() throws Exception {
    throw new UnsupportedOperationException("takes no part in mixed load");
  }

  /**
   * Counts the rows of its tables.
   *
   * @return the counts
   * @throws Exception if rows contradict each other
   */
  Census census() throws Exception;

  @Override
  void close() throws Exception;

  /**
   * The contents of the tables.
   *
   * @param pending tasks that no consumer has taken
   * @param done tasks that were run and recorded as done
   */
  record Census(long pending, long done) {}
}
