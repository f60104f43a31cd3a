package dev.rota;

/** The name belongs to another tenant, or did until a moment ago. */
public final class TenantExistsException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * With a message.
   *
   * @param message what happened, to whom, and what to do
   */
  public TenantExistsException(String message) {
    super(message);
  }
}
