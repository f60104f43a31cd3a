package dev.rota.benchmarks.rivals;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition, but not for ever: a lost task has to fail a benchmark. */
public final class Deadline {

  private static final Duration LIMIT = Duration.ofMinutes(4);
  private static final long LOOK_NANOS = 1_000_000;

  private Deadline() {}

  /**
   * Polls once a millisecond: ten times as often took a thirtieth of the machine.
   *
   * @param what the condition, for the error message
   * @param reached tells whether it holds
   * @throws IllegalStateException if it does not hold within four minutes
   */
  public static void await(String what, BooleanSupplier reached) {
    long startedAt = System.nanoTime();
    while (!reached.getAsBoolean()) {
      if (System.nanoTime() - startedAt > LIMIT.toNanos()) {
        throw new IllegalStateException(what + " has not come within " + LIMIT);
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }
}
