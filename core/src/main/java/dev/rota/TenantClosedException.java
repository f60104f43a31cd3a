package dev.rota;

/** The tenant is closed and refuses new tasks. */
public final class TenantClosedException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * With a message.
   *
   * @param message what happened, to whom, and what to do
   */
  public TenantClosedException(String message) {
    super(message);
  }
}
