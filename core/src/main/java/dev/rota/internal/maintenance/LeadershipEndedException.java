package dev.rota.internal.maintenance;

import org.jspecify.annotations.Nullable;

/** The daemon leads no more. Ends the step under way: a task must not count it as a failure. */
public abstract class LeadershipEndedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  protected LeadershipEndedException(
      @Nullable String message, @Nullable Throwable cause, boolean withStackTrace) {
    super(message, cause, withStackTrace, withStackTrace);
  }
}
