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
 * @param dead how many of them are {@link TaskState#DEAD}: tasks that {@link
 *     TaskControl#redrive(Redrive)} can run again
 * @param period when they ended
 * @param exampleTaskId the id of one of the tasks, for {@link History#scanAttempts(long)}
 */
public record ErrorGroup(
    String error, long attempts, long dead, Period period, long exampleTaskId) {

  /**
   * Without the text, which may hold anything that a handler worked on.
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
   * When the attempts of a group ended, by the clock of the database.
   *
   * @param first when the first of them ended
   * @param last when the last of them ended
   */
  public record Period(Instant first, Instant last) {}
}
