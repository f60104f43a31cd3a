package dev.rota;

/** Thrown when the tenant is closed and refuses new tasks. */
public final class TenantClosedException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message the problem, the tenant, and the remedy
   */
  public TenantClosedException(String message) {
    super(message);
  }
}
