package dev.rota.schedule;

import dev.rota.RotaException;

/** Thrown when a tenant has no schedule of this name. */
public final class UnknownScheduleException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message the problem, the schedule, and the remedy
   */
  public UnknownScheduleException(String message) {
    super(message);
  }
}
