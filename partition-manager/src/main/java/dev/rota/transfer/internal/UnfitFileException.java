package dev.rota.transfer.internal;

/**
 * Thrown when a file of the archive cannot be restored; the message names the reason and the
 * remedy.
 */
final class UnfitFileException extends Exception {

  private static final long serialVersionUID = 1L;

  UnfitFileException(String message) {
    super(message);
  }
}
