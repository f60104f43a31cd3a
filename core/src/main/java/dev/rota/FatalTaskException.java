package dev.rota;

/**
 * Thrown by a handler to say that trying again is useless: the task is dead at once, whatever the
 * {@link RetryPolicy} says. Its text is kept like that of any other failure.
 *
 * <p>Only the exception that leaves the handler counts, not one among its causes. It may also stand
 * in a {@link PartialFailureException}.
 */
public final class FatalTaskException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * Without a cause.
   *
   * @param message why the task can never succeed
   */
  public FatalTaskException(String message) {
    super(message);
  }

  /**
   * With a cause.
   *
   * @param message why the task can never succeed
   * @param cause what went wrong; its text is kept as well
   */
  public FatalTaskException(String message, Throwable cause) {
    super(message, cause);
  }
}
