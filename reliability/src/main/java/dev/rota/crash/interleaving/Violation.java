package dev.rota.crash.interleaving;

/** Thrown when an invariant is broken. */
public final class Violation extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Creates the exception with the expected and the found state. */
  public Violation(String message) {
    super(message);
  }
}
