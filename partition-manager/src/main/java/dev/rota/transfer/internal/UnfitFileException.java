package dev.rota.transfer.internal;

/** A file of the archive cannot be restored; the message says why, and what to do. */
final class UnfitFileException extends Exception {

  private static final long serialVersionUID = 1L;

  UnfitFileException(String message) {
    super(message);
  }
}
