package dev.rota;

/** What all exceptions of Rota have in common. Its message says what happened and what to do. */
public class RotaException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * With a message.
   *
   * @param message what happened, to whom, and what to do
   */
  public RotaException(String message) {
    super(message);
  }

  /**
   * With a message and a cause.
   *
   * @param message what happened, to whom, and what to do
   * @param cause what made it happen
   */
  public RotaException(String message, Throwable cause) {
    super(message, cause);
  }
}
