package dev.rota;

/** The name of a tenant or of an assignment pool breaks a rule; the message says which. */
public final class InvalidNameException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * With a message.
   *
   * @param message what happened, to whom, and what to do
   */
  public InvalidNameException(String message) {
    super(message);
  }
}
