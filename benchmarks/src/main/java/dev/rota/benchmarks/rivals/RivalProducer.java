package dev.rota.benchmarks.rivals;

/** Stores tasks. Used by one thread. */
public interface RivalProducer extends AutoCloseable {

  /**
   * Stores tasks of one tenant in one transaction, or begins to, see {@link #await()}.
   *
   * @param tenant the index of the tenant, from 0
   * @param tasks how many
   * @throws Exception if that fails
   */
  void enqueue(int tenant, int tasks) throws Exception;

  /**
   * Returns when all accepted tasks are durable.
   *
   * @throws Exception if a task could not be stored
   */
  default void await() throws Exception {}

  @Override
  default void close() throws Exception {}
}
