package dev.rota.testing;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits by polling, for example for rows in a database or the state of another process. It polls
 * often at first and less often later. The error names the unmet condition and the last state.
 */
public final class Await {

  /** The default time limit; a healthy run never reaches it. */
  public static final Duration USUAL = Duration.ofSeconds(60);

  /** The time limit for work on many tasks, whose duration depends on the machine. */
  public static final Duration LONG = Duration.ofMinutes(4);

  private static final long SHORTEST_PAUSE = TimeUnit.MICROSECONDS.toNanos(300);
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

  private Await() {}

  /** A condition that a test waits for; an exception ends the wait. */
  @FunctionalInterface
  public interface Condition<X extends Exception> {
    boolean holds() throws X;
  }

  /** A number that changes; an exception ends the wait. */
  @FunctionalInterface
  public interface Count<X extends Exception> {
    long get() throws X;
  }

  /** The state that the error shows. */
  @FunctionalInterface
  public interface State<X extends Exception> {
    Object get() throws X;
  }

  /** An operation repeated until it succeeds. */
  @FunctionalInterface
  public interface Attempt<T> {
    T run() throws SQLException;
  }

  /** Waits until a condition holds. */
  public static <X extends Exception> void until(String what, Condition<X> condition) throws X {
    until(what, USUAL, condition);
  }

  /** Waits until a condition holds, up to a time limit. */
  public static <X extends Exception> void until(
      String what, Duration longest, Condition<X> condition) throws X {
    until(what, longest, condition, () -> "not so");
  }

  /** Waits until a condition holds; the error also shows a state read at the end. */
  public static <X extends Exception> void until(
      String what, Duration longest, Condition<X> condition, State<X> lastState) throws X {
    long begun = System.nanoTime();
    while (!condition.holds()) {
      long waited = System.nanoTime() - begun;
      if (waited > longest.toNanos()) {
        throw new AssertionError(
            "after %d s still not: %s; the last state: %s"
                .formatted(longest.toSeconds(), what, lastState.get()));
      }
      LockSupport.parkNanos(Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, waited / 10)));
    }
  }

  /** Waits until a number equals the expected one. */
  public static <X extends Exception> void until(String what, Count<X> actual, long expected)
      throws X {
    until(what, USUAL, actual, expected);
  }

  /** Waits until a number equals the expected one, up to a time limit. */
  public static <X extends Exception> void until(
      String what, Duration longest, Count<X> actual, long expected) throws X {
    long[] last = new long[1];
    until(
        what,
        longest,
        () -> (last[0] = actual.get()) == expected,
        () -> last[0] + ", and not " + expected);
  }

  /** Waits until a number reaches a minimum. */
  public static <X extends Exception> void atLeast(String what, Count<X> actual, long minimum)
      throws X {
    atLeast(what, USUAL, actual, minimum);
  }

  /** Waits until a number reaches a minimum, up to a time limit. */
  public static <X extends Exception> void atLeast(
      String what, Duration longest, Count<X> actual, long minimum) throws X {
    long[] last = new long[1];
    until(
        what,
        longest,
        () -> (last[0] = actual.get()) >= minimum,
        () -> last[0] + ", and not " + minimum + " or more");
  }

  /**
   * Returns the result of the first attempt that succeeds, since a program may start during an
   * outage. Throws the last failure after 90 seconds.
   */
  public static <T> T success(String what, Attempt<T> attempt) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (true) {
      try {
        return attempt.run();
      } catch (SQLException | RuntimeException e) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("after 90 s still not possible: " + what, e);
        }
        LockSupport.parkNanos(5 * LONGEST_PAUSE);
      }
    }
  }
}
