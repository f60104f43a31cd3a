package dev.rota;

/** Thrown when no tenant of this name, or number, is registered. */
public final class UnknownTenantException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message the problem, the tenant, and the remedy
   */
  public UnknownTenantException(String message) {
    super(message);
  }
}
