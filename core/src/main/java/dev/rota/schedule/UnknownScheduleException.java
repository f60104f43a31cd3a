package dev.rota.schedule;

import dev.rota.RotaException;

/** A tenant has no schedule of this name. */
public final class UnknownScheduleException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * With a message.
   *
   * @param message what happened, to whom, and what to do
   */
  public UnknownScheduleException(String message) {
    super(message);
  }
}
