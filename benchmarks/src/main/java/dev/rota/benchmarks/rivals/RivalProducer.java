package dev.rota.benchmarks.rivals;

/** Stores tasks. Used by one thread. */
public interface RivalProducer extends AutoCloseable {

  /**
   * Stores tasks of one tenant in one transaction, or begins to, see {@link #await()}.
   *
   * @param tenant 0 to one less than there are tenants
   * @param tasks how many
   * @throws Exception if that fails
   */
  void enqueue(int tenant, int tasks) throws Exception;

  /**
   * Returns when everything handed over is durable.
   *
   * @throws Exception if something could not be stored
   */
  default void await() throws Exception {}

  @Override
  default void close() throws Exception {}
}
