package dev.rota.history;

import dev.rota.TaskState;
import dev.rota.control.Redrive;
import dev.rota.control.TaskControl;
import java.time.Instant;

/**
 * Attempts of one tenant that ended with the same error text. Immutable.
 *
 * @param error the text, at most 4 KiB
 * @param attempts how many attempts ended with it
 * @param dead how many of them are {@link TaskState#DEAD}, so that {@link
 *     TaskControl#redrive(Redrive)} can run their tasks again
 * @param period when they ended
 * @param exampleTaskId the id of one of the tasks, for {@link History#scanAttempts(long)}
 */
public record ErrorGroup(
    String error, long attempts, long dead, Period period, long exampleTaskId) {

  /**
   * Formats the numbers without the text, which may contain data of a handler.
   *
   * @return the numbers
   */
  @Override
  public String toString() {
    return "ErrorGroup[error of "
        + error.length()
        + " characters, attempts="
        + attempts
        + ", dead="
        + dead
        + ", "
        + period
        + ", exampleTaskId="
        + exampleTaskId
        + "]";
  }

  /**
   * The period in which the attempts of a group ended, by the clock of the database.
   *
   * @param first the time at which the first of them ended
   * @param last the time at which the last of them ended
   */
  public record Period(Instant first, Instant last) {}
}
