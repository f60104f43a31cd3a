package dev.rota;

/**
 * Thrown when the name of a tenant or of an assignment pool breaks a rule; the message names the
 * rule.
 */
public final class InvalidNameException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message the problem, the name concerned, and the remedy
   */
  public InvalidNameException(String message) {
    super(message);
  }
}
