package dev.rota.benchmarks.rivals;

/** Consumers that run until they are stopped, beside producers. */
public interface Consumption extends AutoCloseable {

  /**
   * How many tasks were noted as done since the start.
   *
   * @return the number
   */
  long done();

  /**
   * How many rings were switched since the start.
   *
   * @return the number; zero for a contender without rotation
   */
  default long rotations() {
    return 0;
  }

  @Override
  void close() throws Exception;
}
