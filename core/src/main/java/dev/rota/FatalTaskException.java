package dev.rota;

/**
 * Thrown by a handler when another attempt is useless: the task is dead at once, whatever the
 * {@link RetryPolicy} allows. Its text is kept like that of any other failure.
 *
 * <p>Only the exception that leaves the handler counts, not one among its causes. A {@link
 * PartialFailureException} may also contain it.
 */
public final class FatalTaskException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception without a cause.
   *
   * @param message why the task can never succeed
   */
  public FatalTaskException(String message) {
    super(message);
  }

  /**
   * Creates the exception with a cause.
   *
   * @param message why the task can never succeed
   * @param cause the error behind it; its text is kept as well
   */
  public FatalTaskException(String message, Throwable cause) {
    super(message, cause);
  }
}
