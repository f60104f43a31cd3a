package dev.rota.benchmarks.rivals;

/**
 * A way to store tasks and to run them, in a database of its own. Every contender does the same
 * work: stores each task durably, hands each to a handler that does nothing, and notes durably that
 * it is done.
 */
public interface Contender extends AutoCloseable {

  /**
   * A way in.
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
   * Runs what was filled in, until all of it has been run and noted as done.
   *
   * @param tasks how many were filled in
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
   * What stands in the tables.
   *
   * @param pending tasks that nobody has taken
   * @param done tasks that were run and noted as done
   */
  record Census(long pending, long done) {}
}
