package dev.rota;

/** The Rota was closed; nothing can be enqueued, claimed or read through it any more. */
public final class RotaClosedException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * With a message.
   *
   * @param message what happened, to whom, and what to do
   */
  public RotaClosedException(String message) {
    super(message);
  }
}
