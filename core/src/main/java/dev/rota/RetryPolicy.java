package dev.rota;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Decides how often a failed task is tried, and how long it waits in between. Immutable and
 * thread-safe.
 *
 * <p>The default tries 10 times. The pause starts at one second, doubles each time and ends at one
 * hour. It varies by up to a quarter, so that tasks that failed together do not return together.
 */
public final class RetryPolicy {

  /** The highest number of attempts that a policy may allow. */
  public static final int MOST_ATTEMPTS = 1_000_000;

  private static final double JITTER = 0.25;

  private final int maxAttempts;
  private final BackOff backOff;

  private RetryPolicy(int maxAttempts, BackOff backOff) {
    this.maxAttempts = maxAttempts;
    this.backOff = backOff;
  }

  /**
   * Ten attempts, exponential from one second to one hour, with jitter.
   *
   * @return the default policy
   */
  public static RetryPolicy defaults() {
    return exponential(10, Duration.ofSeconds(1), Duration.ofHours(1));
  }

  /**
   * Allows a single attempt: the first failure is final.
   *
   * @return a policy of one attempt
   */
  public static RetryPolicy never() {
    return of(1, attempt -> Duration.ZERO);
  }

  /**
   * Doubles the pause with each attempt, with a jitter of plus or minus 25 %.
   *
   * @param maxAttempts after how many failed attempts a task is dead; 1 to {@value #MOST_ATTEMPTS}
   * @param first the pause after the first failure; more than zero
   * @param longest the upper bound of the pause; at least {@code first}
   * @return the policy
   * @throws IllegalArgumentException if a value is out of range
   */
  public static RetryPolicy exponential(int maxAttempts, Duration first, Duration longest) {
    if (first.isNegative() || first.isZero() || longest.compareTo(first) < 0) {
      throw new IllegalArgumentException(
          "first pause is " + first + " and longest " + longest + "; need 0 < first <= longest");
    }
    double firstNanos = first.toNanos();
    double longestNanos = longest.toNanos();
    return of(
        maxAttempts,
        attempt -> jittered(Math.min(longestNanos, firstNanos * Math.pow(2, attempt - 1.0))));
  }

  /**
   * Uses the same pause after each failure.
   *
   * @param maxAttempts after how many failed attempts a task is dead; 1 to {@value #MOST_ATTEMPTS}
   * @param pause the pause; zero or more
   * @return the policy
   * @throws IllegalArgumentException if a value is out of range
   */
  public static RetryPolicy fixed(int maxAttempts, Duration pause) {
    requireNotNegative("pause", pause);
    return of(maxAttempts, attempt -> pause);
  }

  /**
   * Lengthens the pause by the same step with each attempt: {@code step} after the first failure,
   * twice that after the second, and so on.
   *
   * @param maxAttempts after how many failed attempts a task is dead; 1 to {@value #MOST_ATTEMPTS}
   * @param step the increase of the pause from one failure to the next; zero or more
   * @return the policy
   * @throws IllegalArgumentException if a value is out of range
   */
  public static RetryPolicy linear(int maxAttempts, Duration step) {
    requireNotNegative("step", step);
    return of(maxAttempts, step::multipliedBy);
  }

  /**
   * Uses a pause that the application computes.
   *
   * @param maxAttempts after how many failed attempts a task is dead; 1 to {@value #MOST_ATTEMPTS}
   * @param backOff the pause after each failure
   * @return the policy
   * @throws IllegalArgumentException if {@code maxAttempts} is out of range
   */
  public static RetryPolicy of(int maxAttempts, BackOff backOff) {
    if (maxAttempts < 1 || maxAttempts > MOST_ATTEMPTS) {
      throw new IllegalArgumentException(
          "maxAttempts is " + maxAttempts + "; allowed are 1 to " + MOST_ATTEMPTS);
    }
    return new RetryPolicy(maxAttempts, Objects.requireNonNull(backOff));
  }

  private static void requireNotNegative(String option, Duration value) {
    if (value.isNegative()) {
      throw new IllegalArgumentException(option + " is " + value + "; use zero or more");
    }
  }

  private static Duration jittered(double nanos) {
    double factor = 1 - JITTER + 2 * JITTER * ThreadLocalRandom.current().nextDouble();
    return Duration.ofNanos((long) (nanos * factor));
  }

  /**
   * The number of attempts after which a failed task is dead.
   *
   * @return the number of attempts, at least 1
   */
  public int maxAttempts() {
    return maxAttempts;
  }

  /**
   * Whether a task that failed is tried again.
   *
   * @param failedAttempt the attempt that failed, counted from 1
   * @return true if another attempt follows
   */
  public boolean retries(int failedAttempt) {
    return failedAttempt < maxAttempts;
  }

  /**
   * The pause before the next attempt.
   *
   * @param failedAttempt the attempt that failed, counted from 1
   * @return the pause, at least zero
   */
  public Duration pauseAfter(int failedAttempt) {
    Duration pause = backOff.after(failedAttempt);
    return pause.isNegative() ? Duration.ZERO : pause;
  }

  /**
   * Computes how long a failed task waits before its next attempt.
   *
   * <p>Implementations are called from worker threads at the same time and must be thread-safe.
   */
  @FunctionalInterface
  public interface BackOff {

    /**
     * The pause before the next attempt.
     *
     * @param failedAttempt the number of the attempt that has just failed, counted from 1
     * @return the pause, at least zero; the worker adds nothing to it
     */
    Duration after(int failedAttempt);
  }
}
