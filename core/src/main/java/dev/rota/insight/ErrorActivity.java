package dev.rota.insight;

import java.time.Instant;
import java.util.Optional;

/**
 * An error of failed attempts of one kind. Immutable.
 *
 * @param fingerprint the hash of the error
 * @param kind the kind of the attempts
 * @param error the class and message of the exception, with {@code #} in place of numbers,
 *     identifiers, addresses and quoted words
 * @param attempts how many attempts had it
 * @param last the last of these attempts
 */
public record ErrorActivity(
    long fingerprint, String kind, String error, Attempts attempts, Last last) {

  /**
   * Numbers of attempts with an error.
   *
   * @param failed attempts that failed and are followed by another one
   * @param dead attempts that failed, with no other to follow
   */
  public record Attempts(long failed, long dead) {

    /**
     * All of them.
     *
     * @return the sum
     */
    public long count() {
      return failed + dead;
    }
  }

  /**
   * The last attempt with an error.
   *
   * @param at when it failed
   * @param tenant the name of its tenant; empty if that is erased
   * @param task the id of the task, for {@link dev.rota.history.History#scanAttempts(long)}
   */
  public record Last(Instant at, Optional<String> tenant, long task) {}
}
