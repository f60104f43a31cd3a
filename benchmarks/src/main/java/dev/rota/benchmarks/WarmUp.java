package dev.rota.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Warm-up by time: repeats a shot of a benchmark until its measured part has run for so long.
 *
 * <p>The compiler needs 20 to 60 seconds of load before the speed stays the same, and longer where
 * the load leaves it no core. A number of shots says nothing about that: a few shots of a fast
 * contender end before the compiler does.
 */
final class WarmUp {

  private WarmUp() {}

  /** A part of a shot. */
  @FunctionalInterface
  interface Part {

    void run() throws Exception;
  }

  /**
   * Repeats a shot.
   *
   * @param seconds the time of the measured part, in all; 0 means no shot
   * @param preparation the part of a shot before the measurement
   * @param measured the part that the benchmark measures
   */
  static void repeat(int seconds, Part preparation, Part measured) throws Exception {
    repeat(seconds, preparation, measured, System::nanoTime);
  }

  static void repeat(int seconds, Part preparation, Part measured, LongSupplier nanos)
      throws Exception {
    long left = TimeUnit.SECONDS.toNanos(seconds);
    while (left > 0) {
      preparation.run();
      long startedAt = nanos.getAsLong();
      measured.run();
      left -= nanos.getAsLong() - startedAt;
    }
  }
}
