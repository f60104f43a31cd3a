package dev.rota;

import java.time.Duration;

/**
 * Thrown by a handler to say when the task is to be tried again, instead of the pause of the {@link
 * RetryPolicy}. The attempt counts: after the last attempt of the policy the task is dead.
 *
 * <p>Only the exception that leaves the handler counts, not one among its causes. It may also stand
 * in a {@link PartialFailureException}.
 */
public final class RetryAfterException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final Duration pause;

  /**
   * Without a cause.
   *
   * @param pause how long the task waits, by the clock of the database; zero means to be tried
   *     again at once
   * @param message why it has to be tried again
   * @throws IllegalArgumentException if the pause is negative
   */
  public RetryAfterException(Duration pause, String message) {
    super(message);
    this.pause = checked(pause);
  }

  /**
   * With a cause.
   *
   * @param pause how long the task waits, by the clock of the database; zero means to be tried
   *     again at once
   * @param message why it has to be tried again
   * @param cause what went wrong; its text is kept as well
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
   * How long the task waits.
   *
   * @return the pause, at least zero
   */
  public Duration pause() {
    return pause;
  }
}
