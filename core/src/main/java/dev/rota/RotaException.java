package dev.rota;

/** The base class of all exceptions of Rota. Its message names the problem and the remedy. */
public class RotaException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception without a cause.
   *
   * @param message the problem, the object concerned, and the remedy
   */
  public RotaException(String message) {
    super(message);
  }

  /**
   * Creates the exception with a cause.
   *
   * @param message the problem, the object concerned, and the remedy
   * @param cause the error behind it
   */
  public RotaException(String message, Throwable cause) {
    super(message, cause);
  }
}
