package dev.rota.internal.db;

import dev.rota.DatabaseException;
import dev.rota.internal.text.Texts;
import java.sql.SQLException;

/** What the parts of the engine need to know of exceptions. */
public final class Failures {

  private static final int ERROR_TEXT_BYTES = 4_096;
  private static final int CAUSES_KEPT = 10;

  private Failures() {}

  /** The database went away; others fare no better, and trying later may help. */
  public static boolean isConnectionLoss(Throwable e) {
    return e instanceof DatabaseException failure && failure.unavailable();
  }

  /** The server has no room at present; trying later may help. */
  public static boolean isExhaustion(Throwable e) {
    return e instanceof DatabaseException failure
        && failure.getCause() instanceof SQLException cause
        && SqlErrors.isExhausted(cause);
  }

  /** Somebody else's transaction held a lock for too long. */
  public static boolean isLockConflict(Throwable e) {
    return e instanceof DatabaseException failure
        && failure.getCause() instanceof SQLException cause
        && SqlErrors.isLockConflict(cause);
  }

  /**
   * A copy for one of several callers of the same transaction, so that each has a trace of its own.
   */
  public static DatabaseException inThisThread(DatabaseException shared) {
    return new DatabaseException(
        String.valueOf(shared.getMessage()), shared, shared.unavailable(), shared.outcomeUnknown());
  }

  /**
   * The text of an error as it is kept in history: each cause on a line, without stacks, so that
   * equal errors have equal texts.
   */
  public static String text(Throwable error) {
    try {
      return cut(tell(error));
    } catch (RuntimeException e) {
      // Exceptions of a host have been seen that fail to say what they are.
      return error.getClass().getName() + ", whose message cannot be read: " + e.getClass();
    }
  }

  private static String tell(Throwable error) {
    StringBuilder text = new StringBuilder(String.valueOf(error));
    Throwable cause = error.getCause();
    for (int depth = 0; cause != null && depth < CAUSES_KEPT; depth++) {
      text.append("\ncaused by ").append(cause);
      cause = cause.getCause();
    }
    return text.toString();
  }

  /** A text given by a user, as it is kept in history. */
  public static String cut(String text) {
    return Texts.storable(text, ERROR_TEXT_BYTES);
  }
}
