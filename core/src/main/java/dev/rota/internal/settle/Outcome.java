package dev.rota.internal.settle;

import dev.rota.FatalTaskException;
import dev.rota.RetryAfterException;
import dev.rota.RetryPolicy;
import dev.rota.TaskCancelledException;
import dev.rota.internal.db.RowId;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.text.ErrorText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * What became of one task of a batch, where that is not simply "done with its batch".
 *
 * @param task the task
 * @param state what is written into its row of history
 * @param error why, if it failed
 * @param pause how long a task waits that failed, or that is enqueued again
 * @param requeue as what it is enqueued again, if it is done here and goes on
 */
public record Outcome(
    ClaimedTask task,
    AttemptStateCode state,
    @Nullable String error,
    Duration pause,
    @Nullable Requeue requeue) {

  private static final Logger log = Logs.of(Outcome.class);

  /** PostgreSQL knows no later times than the year 294276. */
  private static final Duration LONGEST_PAUSE = Duration.ofDays(36_500);

  /** Of a task that does not go on. */
  Outcome(ClaimedTask task, AttemptStateCode state, @Nullable String error, Duration pause) {
    this(task, state, error, pause, null);
  }

  /**
   * As what a task is enqueued again that is done here.
   *
   * @param kind what it is from now on
   * @param payload what it carries from now on; null for what it carried here
   */
  public record Requeue(String kind, @Nullable String payload) {}

  /** Done here, and pending again after a pause; its attempts begin anew. */
  public static Outcome requeued(ClaimedTask task, Requeue requeue, Duration pause) {
    return new Outcome(task, AttemptStateCode.DONE, null, pause, requeue);
  }

  /** Done, while its batch stays open. */
  public static Outcome done(ClaimedTask task) {
    return new Outcome(task, AttemptStateCode.DONE, null, Duration.ZERO);
  }

  /** Whether nothing need be written about it once its batch is closed. */
  public boolean isDone() {
    return state == AttemptStateCode.DONE && requeue == null;
  }

  /** Whether its handler succeeded, also if the task goes on. */
  public boolean isSuccess() {
    return state == AttemptStateCode.DONE;
  }

  /** Whether the task ends with it for good. */
  boolean isFinal() {
    return switch (state) {
      case DONE -> requeue == null;
      case DEAD, CANCELLED -> true;
      case AS_BATCH, FAILED, LOST, RELEASED -> false;
    };
  }

  /**
   * Failed: tried again after a pause, or dead, as the policy says or the error itself.
   *
   * @param frames the frames that are kept with the error, see {@link ErrorText#frames}
   */
  public static Outcome failed(
      ClaimedTask task, Throwable error, String frames, RetryPolicy policy) {
    if (error instanceof TaskCancelledException) {
      return cancelled(task, String.valueOf(error.getMessage()));
    }
    String text = ErrorText.of(error) + frames;
    if (error instanceof FatalTaskException || !policy.retries(task.attempt())) {
      return new Outcome(task, AttemptStateCode.DEAD, text, Duration.ZERO);
    }
    Duration pause = error instanceof RetryAfterException e ? e.pause() : pause(task, policy);
    return new Outcome(task, AttemptStateCode.FAILED, text, possible(pause));
  }

  static Outcome retried(ClaimedTask task, String error, Duration pause) {
    return new Outcome(task, AttemptStateCode.FAILED, ErrorText.cut(error), possible(pause));
  }

  private static Duration possible(Duration pause) {
    return pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
  }

  /** A back-off that is broken must not hold up its task, let alone the worker. */
  private static Duration pause(ClaimedTask task, RetryPolicy policy) {
    try {
      return policy.pauseAfter(task.attempt());
    } catch (RuntimeException e) {
      log.warn("no back-off for {}, which waits as long as by default: {}", task, e.toString());
      return RetryPolicy.defaults().pauseAfter(task.attempt());
    }
  }

  /** Failed, and not tried again. */
  public static Outcome dead(ClaimedTask task, String error) {
    return new Outcome(task, AttemptStateCode.DEAD, ErrorText.cut(error), Duration.ZERO);
  }

  /** Not wanted any more. */
  static Outcome cancelled(ClaimedTask task, String reason) {
    return new Outcome(task, AttemptStateCode.CANCELLED, ErrorText.cut(reason), Duration.ZERO);
  }

  /** The same task, which was asked to end for this reason: it does not run again. */
  public Outcome cancelledFor(String reason) {
    boolean failed = state == AttemptStateCode.FAILED && error != null;
    return cancelled(task, failed ? reason + "\nits handler failed: " + error : reason);
  }

  /** The same outcome, written where the row of its task stands now. */
  Outcome at(RowId place) {
    return new Outcome(task.at(place), state, error, pause, requeue);
  }

  /** Handed back before it began. */
  public static Outcome released(ClaimedTask task) {
    return new Outcome(task, AttemptStateCode.RELEASED, null, Duration.ZERO);
  }
}
