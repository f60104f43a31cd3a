package dev.rota.history;

import dev.rota.RotaException;

/**
 * Thrown when a file of an archive could not be written or read. The message names the tenant, the
 * file and the remedy; it never carries credentials or payloads.
 */
public final class ArchiveException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception without a cause.
   *
   * @param message the problem, the file and its tenant, and the remedy
   */
  public ArchiveException(String message) {
    super(message);
  }

  /**
   * Creates the exception with a cause.
   *
   * @param message the problem, the file and its tenant, and the remedy
   * @param cause the error behind it
   */
  public ArchiveException(String message, Throwable cause) {
    super(message, cause);
  }
}
