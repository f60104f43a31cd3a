package dev.rota;

/** No tenant of this name, or number, is registered. */
public final class UnknownTenantException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * With a message.
   *
   * @param message what happened, to whom, and what to do
   */
  public UnknownTenantException(String message) {
    super(message);
  }
}
