package dev.rota;

import java.time.Duration;

/**
 * Thrown by a handler to set the pause before the next attempt, instead of the pause of the {@link
 * RetryPolicy}. The attempt counts, unless it holds further tasks: after the last attempt of the
 * policy the task is dead.
 *
 * <p>Only the exception that leaves the handler counts, not one among its causes. A {@link
 * PartialFailureException} may also contain it.
 */
public final class RetryAfterException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private static final Duration LONGEST_HOLD = Duration.ofDays(7);

  private final Duration pause;
  private final Reach reach;

  /** What has to wait. */
  public enum Reach {
    /** The task; its attempt counts. */
    TASK,
    /** All tasks of its kind of its tenant; the attempt does not count. */
    TENANT,
    /** All tasks of its kind of all tenants; the attempt does not count. */
    ALL
  }

  /**
   * Creates the exception without a cause.
   *
   * @param pause how long the task waits, by the clock of the database; zero means an immediate
   *     retry
   * @param message why the task needs another attempt
   * @throws IllegalArgumentException if the pause is negative
   */
  public RetryAfterException(Duration pause, String message) {
    super(message);
    this.pause = checked(pause);
    this.reach = Reach.TASK;
  }

  /**
   * Creates the exception with a cause.
   *
   * @param pause how long the task waits, by the clock of the database; zero means an immediate
   *     retry
   * @param message why the task needs another attempt
   * @param cause the error behind it; its text is kept as well
   * @throws IllegalArgumentException if the pause is negative
   */
  public RetryAfterException(Duration pause, String message, Throwable cause) {
    super(message, cause);
    this.pause = checked(pause);
    this.reach = Reach.TASK;
  }

  private RetryAfterException(Duration pause, Reach reach) {
    super("no task of the kind begins for " + pause);
    if (pause.compareTo(LONGEST_HOLD) > 0 || pause.toMillis() < 1) {
      throw new IllegalArgumentException("pause is " + pause + "; it must be 1 ms to 7 days");
    }
    this.pause = pause;
    this.reach = reach;
  }

  /**
   * Creates the exception for a service that takes no more calls for a time, such as by status 429.
   * No task of this kind begins until then, of any tenant, in any process. The task goes back, and
   * its attempt does not count.
   *
   * <p>A hold is a pause of its own: that of an operator stays, and {@link
   * dev.rota.limits.Controls#reopen} ends it. Workers that fire and forget lose the task. For a
   * task of {@link Tenant#claim} it is a pause of this task alone.
   *
   * @param pause 1 millisecond to 7 days; of several holds the one that ends last counts
   * @return the exception
   * @throws IllegalArgumentException if out of range
   */
  public static RetryAfterException forAll(Duration pause) {
    return new RetryAfterException(pause, Reach.ALL);
  }

  /**
   * Creates the exception for a service that takes no more calls of this tenant, such as by its own
   * account there. As {@link #forAll}, but tasks of other tenants go on.
   *
   * @param pause 1 millisecond to 7 days
   * @return the exception
   * @throws IllegalArgumentException if out of range
   */
  public static RetryAfterException forTenant(Duration pause) {
    return new RetryAfterException(pause, Reach.TENANT);
  }

  private static Duration checked(Duration pause) {
    if (pause.isNegative()) {
      throw new IllegalArgumentException("pause is " + pause + "; use zero or more");
    }
    return pause;
  }

  /**
   * What has to wait.
   *
   * @return the task alone, unless made by {@link #forAll} or {@link #forTenant}
   */
  public Reach reach() {
    return reach;
  }

  /**
   * The pause before the next attempt.
   *
   * @return the pause, at least zero
   */
  public Duration pause() {
    return pause;
  }
}
