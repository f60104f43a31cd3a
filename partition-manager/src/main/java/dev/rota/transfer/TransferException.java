package dev.rota.transfer;

import dev.rota.RotaException;

/**
 * Thrown when a tenant could not be exported, imported or restored. The message names the tenant,
 * the folder or archive, the problem and the remedy; it never carries credentials or payloads.
 */
public final class TransferException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception without a cause.
   *
   * @param message the problem, the tenant, and the remedy
   */
  public TransferException(String message) {
    super(message);
  }

  /**
   * Creates the exception with a cause.
   *
   * @param message the problem, the tenant, and the remedy
   * @param cause the error behind it
   */
  public TransferException(String message, Throwable cause) {
    super(message, cause);
  }
}
