package dev.rota.spring;

/** Thrown at the start for annotated methods that cannot run tasks as they are declared. */
final class InvalidHandlerException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String action;

  InvalidHandlerException(String problem, String action) {
    super(problem);
    this.action = action;
  }

  /** What the developer can do. */
  String action() {
    return action;
  }
}
