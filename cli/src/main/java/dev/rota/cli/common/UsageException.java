package dev.rota.cli.common;

/** The command was called wrongly: exit code 2, and its sentence on standard error. */
public final class UsageException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * Makes one.
   *
   * @param message a sentence that names the option, and what is allowed
   */
  public UsageException(String message) {
    super(message);
  }
}
