package dev.rota.spi;

import org.jspecify.annotations.Nullable;

/**
 * An attempt whose outcome is committed. Only valid during the call of {@link TaskObserver#ended}:
 * an observer that needs more copies it.
 */
public interface EndedAttempt {

  /** How an attempt ended. */
  enum Ending {
    /** It succeeded, or passed a stage of its pipeline. */
    DONE,
    /** It failed, and will be retried. */
    FAILED,
    /** It failed for the last time. */
    DEAD,
    /** It was asked to end. */
    CANCELLED,
    /** It was handed back before it began: its worker stops, or a rule holds it. */
    RELEASED
  }

  /**
   * The name of the tenant.
   *
   * @return the name
   */
  String tenant();

  /**
   * The id of the task.
   *
   * @return the id
   */
  long task();

  /**
   * The kind of the task.
   *
   * @return the kind
   */
  String kind();

  /**
   * The number of the attempt.
   *
   * @return 1 for the first one
   */
  int attempt();

  /**
   * How it ended.
   *
   * @return the committed ending
   */
  Ending ending();

  /**
   * The simple name of the exception that ended it, such as {@code TimeoutException}. There are as
   * many as the application throws.
   *
   * @return the name; null if there is none
   */
  @Nullable String error();

  /**
   * How long its handler ran. Tasks that share a call of a batch handler share its time.
   *
   * @return the time in nanoseconds; 0 if it did not begin
   */
  long runNanos();

  /**
   * How long a first attempt waited, from its enqueue to its begin; a delay that the producer asked
   * for is part of it. By the clock of the database, to about a millisecond.
   *
   * @return the time in nanoseconds; -1 for retries and tasks that did not begin, and while the
   *     clock of the database is not known
   */
  long waitNanos();
}
