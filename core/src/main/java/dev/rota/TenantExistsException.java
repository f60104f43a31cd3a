package dev.rota;

/** Thrown when the name belongs to another tenant, or did until a moment ago. */
public final class TenantExistsException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message the problem, the tenant, and the remedy
   */
  public TenantExistsException(String message) {
    super(message);
  }
}
