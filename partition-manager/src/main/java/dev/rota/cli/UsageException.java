package dev.rota.cli;

/** The command was called wrongly: exit code 2. */
final class UsageException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
