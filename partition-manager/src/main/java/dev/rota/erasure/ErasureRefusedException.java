package dev.rota.erasure;

import dev.rota.RotaException;

/**
 * Thrown when a tenant is not erased: it is under legal hold, open, or a part of it would remain.
 * Nothing was removed. The message names the tenant and the remedy.
 */
public final class ErasureRefusedException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message the tenant, the reason, and the remedy
   */
  public ErasureRefusedException(String message) {
    super(message);
  }
}
