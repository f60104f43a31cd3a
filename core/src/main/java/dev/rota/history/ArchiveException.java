package dev.rota.history;

import dev.rota.RotaException;

/**
 * A file of an archive could not be written or read. The message names the tenant and the file, and
 * says what to do; it never carries credentials or payloads.
 */
public final class ArchiveException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * With a message.
   *
   * @param message what happened, to which file of which tenant, and what to do
   */
  public ArchiveException(String message) {
    super(message);
  }

  /**
   * With a message and a cause.
   *
   * @param message what happened, to which file of which tenant, and what to do
   * @param cause what made it happen
   */
  public ArchiveException(String message, Throwable cause) {
    super(message, cause);
  }
}
