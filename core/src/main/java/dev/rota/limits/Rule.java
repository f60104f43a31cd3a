package dev.rota.limits;

import java.time.Instant;
import java.util.Optional;

/**
 * What is set for a scope. What handlers and breakers ordered for it is a rule of its own.
 *
 * @param scope the scope
 * @param limits its limits
 * @param pause its pause, if it is paused now
 */
public record Rule(Scope scope, Limits limits, Optional<Pause> pause) {

  /**
   * A pause: no task of the scope begins.
   *
   * @param reason why, for people; may be empty
   * @param since when it began, by the clock of the database
   * @param until when it ends, by the clock of the database; empty if it has no end
   * @param origin who ordered it
   */
  public record Pause(String reason, Instant since, Optional<Instant> until, Origin origin) {

    /** Who ordered a pause. */
    public enum Origin {
      /** A call of {@link Controls#pause}. */
      OPERATOR,
      /** A handler, by {@link dev.rota.RetryAfterException#forAll}. */
      HANDLER,
      /** A {@link Breaker}. */
      BREAKER
    }
  }
}
