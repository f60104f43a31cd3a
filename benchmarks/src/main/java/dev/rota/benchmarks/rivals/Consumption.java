package dev.rota.benchmarks.rivals;

/** Consumers that run until they are stopped, beside producers. */
public interface Consumption extends AutoCloseable {

  /**
   * The number of tasks recorded as done since the start.
   *
   * @return the number
   */
  long done();

  /**
   * The number of rings switched since the start.
   *
   * @return the number; zero for a contender without rotation
   */
  default long rotations() {
    return 0;
  }

  @Override
  void close() throws Exception;
}
