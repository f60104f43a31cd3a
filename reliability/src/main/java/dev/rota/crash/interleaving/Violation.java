package dev.rota.crash.interleaving;

/** A rule that must always hold was broken. */
public final class Violation extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** With what was expected and what was found. */
  public Violation(String message) {
    super(message);
  }
}
