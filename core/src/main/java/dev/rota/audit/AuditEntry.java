package dev.rota.audit;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * An action in the audit. Immutable.
 *
 * @param id its number; later actions have higher ones
 * @param action what is done
 * @param times when, by the clock of the database
 * @param result how far it is
 */
public record AuditEntry(long id, AuditedAction action, Times times, Result result) {

  /**
   * When an action ran.
   *
   * @param begunAt when it began
   * @param endedAt when it ended; empty if that is not recorded
   * @param silence how long ago its process last wrote
   */
  public record Times(Instant begunAt, Optional<Instant> endedAt, Duration silence) {}

  /**
   * How far an action is.
   *
   * @param state whether it has ended, and how
   * @param tasks how many tasks it has changed
   * @param stopRequested whether a person asked it to stop
   * @param detail what came of it, in words; empty while it runs
   */
  public record Result(AuditState state, long tasks, boolean stopRequested, String detail) {}

  /**
   * Tells whether the action seems to have died with its process: it has neither ended nor written
   * for a minute. What it had changed stays; the same action again does the rest.
   *
   * @return whether it seems so
   */
  public boolean isInterrupted() {
    return result.state() == AuditState.RUNNING
        && times.silence().compareTo(Duration.ofMinutes(1)) > 0;
  }
}
