package dev.rota.processes;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Repeats attempts while the server is unavailable, as programs do that start during an outage. */
public final class Patience {

  private static final Duration LONGEST = Duration.ofSeconds(90);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private Patience() {}

  /** An operation that may fail. */
  @FunctionalInterface
  public interface Attempt<T> {
    T run() throws SQLException;
  }

  /**
   * Returns the result of the first successful attempt; throws the last failure after 90 seconds.
   */
  public static <T> T untilItWorks(String what, Attempt<T> attempt) {
    long deadline = System.nanoTime() + LONGEST.toNanos();
    while (true) {
      try {
        return attempt.run();
      } catch (SQLException | RuntimeException e) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException(what + " did not work for " + LONGEST, e);
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }
}
