package dev.rota.processes;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for conditions of other processes, which cannot signal; polls often, and fails after a
 * limit.
 */
public final class Waiting {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Waiting() {}

  /** The condition to wait for. */
  @FunctionalInterface
  public interface Condition {
    boolean holds() throws Exception;
  }

  public static void until(String what, Condition condition) throws Exception {
    until(what, PATIENCE, System.nanoTime(), condition);
  }

  public static void until(String what, Duration patience, long since, Condition condition)
      throws Exception {
    while (!condition.holds()) {
      if (System.nanoTime() - since > patience.toNanos()) {
        throw new AssertionError("waited " + patience + " in vain until " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }
}
