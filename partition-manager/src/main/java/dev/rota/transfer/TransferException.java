package dev.rota.transfer;

import dev.rota.RotaException;

/**
 * A tenant could not be exported, imported or restored. The message names the tenant and the folder
 * or archive, says what is wrong and what to do; it never carries credentials or payloads.
 */
public final class TransferException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * With a message.
   *
   * @param message what happened, to whom, and what to do
   */
  public TransferException(String message) {
    super(message);
  }

  /**
   * With a message and a cause.
   *
   * @param message what happened, to whom, and what to do
   * @param cause what made it happen
   */
  public TransferException(String message, Throwable cause) {
    super(message, cause);
  }
}
