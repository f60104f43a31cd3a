package dev.rota.graph;

import dev.rota.RotaException;

/** A tenant has no graph of this id, or forgot it after it had finished. */
public final class UnknownGraphException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * With a message.
   *
   * @param message what happened, to whom, and what to do
   */
  public UnknownGraphException(String message) {
    super(message);
  }
}
