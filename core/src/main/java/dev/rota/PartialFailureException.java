package dev.rota;

import java.util.Map;

/** Thrown by a {@link BatchHandler} when only some of its tasks failed; all others are done. */
public final class PartialFailureException extends Exception {

  private static final long serialVersionUID = 1L;

  private final transient Map<Long, Throwable> failures;

  /**
   * Creates the exception.
   *
   * @param failures the error of each failed task, by {@link Task#id()}
   */
  public PartialFailureException(Map<Long, ? extends Throwable> failures) {
    super(failures.size() + " tasks of the batch failed");
    this.failures = Map.copyOf(failures);
  }

  /**
   * The tasks that failed.
   *
   * @return the error of each failed task, by id; unmodifiable
   */
  public Map<Long, Throwable> failures() {
    return failures;
  }
}
