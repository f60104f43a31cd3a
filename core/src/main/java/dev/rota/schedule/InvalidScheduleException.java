package dev.rota.schedule;

import dev.rota.RotaException;

/** A schedule breaks a rule; the message names tenant, schedule and option, and what is allowed. */
public final class InvalidScheduleException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * With a message.
   *
   * @param message what is wrong, of which schedule, and what to do
   */
  public InvalidScheduleException(String message) {
    super(message);
  }
}
