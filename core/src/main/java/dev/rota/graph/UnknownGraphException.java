package dev.rota.graph;

import dev.rota.RotaException;

/** Thrown when a tenant has no graph of this id, or the graph was removed after it had finished. */
public final class UnknownGraphException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message the problem, the graph, and the remedy
   */
  public UnknownGraphException(String message) {
    super(message);
  }
}
