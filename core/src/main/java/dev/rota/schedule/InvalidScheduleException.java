package dev.rota.schedule;

import dev.rota.RotaException;

/**
 * Thrown when a schedule breaks a rule; the message names tenant, schedule, option and the allowed
 * values.
 */
public final class InvalidScheduleException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message the problem, the schedule, and the remedy
   */
  public InvalidScheduleException(String message) {
    super(message);
  }
}
