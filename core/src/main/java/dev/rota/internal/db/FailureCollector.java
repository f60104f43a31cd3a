package dev.rota.internal.db;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Lets work on several batches continue when one of them fails, and throws at the end. An
 * unavailable database ends it at once. Used by one thread.
 */
public final class FailureCollector {

  private @Nullable Exception first;

  /** Work on one batch that may fail. */
  @FunctionalInterface
  public interface Attempt {
    void run() throws SQLException;
  }

  /** Runs the attempt; a failure of it alone is kept for the end. */
  public void attempt(Attempt attempt) throws SQLException {
    try {
      attempt.run();
    } catch (SQLException e) {
      if (SqlErrors.isUnavailable(e)) {
        throw e;
      }
      add(e);
    } catch (RuntimeException e) {
      if (SqlErrors.isConnectionLoss(e)) {
        throw e;
      }
      add(e);
    }
  }

  private void add(Exception failure) {
    if (first == null) {
      first = failure;
    } else {
      first.addSuppressed(failure);
    }
  }

  /** Throws the first failure, with the others suppressed in it. */
  public void throwIfAny() throws SQLException {
    if (first instanceof SQLException refusal) {
      throw refusal;
    }
    if (first instanceof RuntimeException failure) {
      throw failure;
    }
  }
}
