package dev.rota.dashboard.internal.view;

/** Thrown for something that a visit names and that is not there. */
public final class MissingException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public MissingException(String message) {
    super(message);
  }
}
