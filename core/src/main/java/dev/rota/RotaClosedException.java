package dev.rota;

/** Thrown when the Rota was closed; it no longer enqueues, claims or reads. */
public final class RotaClosedException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message the problem, the object concerned, and the remedy
   */
  public RotaClosedException(String message) {
    super(message);
  }
}
