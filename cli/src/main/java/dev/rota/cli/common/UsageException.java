package dev.rota.cli.common;

/** Thrown when the command was called wrongly: exit code 2, and its sentence on standard error. */
public final class UsageException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message a sentence that names the option, and the allowed values
   */
  public UsageException(String message) {
    super(message);
  }
}
