package dev.rota.erasure;

import dev.rota.RotaException;

/**
 * A tenant is not erased: it is under legal hold, open, or something of it would be left over.
 * Nothing was removed. The message names the tenant and says what to do.
 */
public final class ErasureRefusedException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * With a message.
   *
   * @param message which tenant, why, and what to do
   */
  public ErasureRefusedException(String message) {
    super(message);
  }
}
