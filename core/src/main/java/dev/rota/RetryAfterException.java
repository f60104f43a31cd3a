package dev.rota;

import java.time.Duration;

/**
 * Thrown by a handler to set the pause before the next attempt, instead of the pause of the {@link
 * RetryPolicy}. The attempt counts: after the last attempt of the policy the task is dead.
 *
 * <p>Only the exception that leaves the handler counts, not one among its causes. A {@link
 * PartialFailureException} may also contain it.
 */
public final class RetryAfterException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final Duration pause;

  /**
   * Creates the exception without a cause.
   *
   * @param pause how long the task waits, by the clock of the database; zero means an immediate
   *     retry
   * @param message why the task needs another attempt
   * @throws IllegalArgumentException if the pause is negative
   */
  public RetryAfterException(Duration pause, String message) {
    super(message);
    this.pause = checked(pause);
  }

  /**
   * Creates the exception with a cause.
   *
   * @param pause how long the task waits, by the clock of the database; zero means an immediate
   *     retry
   * @param message why the task needs another attempt
   * @param cause the error behind it; its text is kept as well
   * @throws IllegalArgumentException if the pause is negative
   */
  public RetryAfterException(Duration pause, String message, Throwable cause) {
    super(message, cause);
    this.pause = checked(pause);
  }

  private static Duration checked(Duration pause) {
    if (pause.isNegative()) {
      throw new IllegalArgumentException("pause is " + pause + "; use zero or more");
    }
    return pause;
  }

  /**
   * The pause before the next attempt.
   *
   * @return the pause, at least zero
   */
  public Duration pause() {
    return pause;
  }
}
