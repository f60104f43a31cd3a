package dev.rota.processes;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Tries again while the server is away, as programs do that start in the middle of an outage. */
public final class Patience {

  private static final Duration LONGEST = Duration.ofSeconds(90);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private Patience() {}

  /** What is tried. */
  @FunctionalInterface
  public interface Attempt<T> {
    T run() throws SQLException;
  }

  /** The result of the first attempt that does not fail; the last failure after 90 seconds. */
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
