package dev.rota.internal;

import dev.rota.RetryPolicy;
import dev.rota.internal.db.StateCode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What became of one task of a batch, where that is not simply "done with its batch".
 *
 * @param task the task
 * @param state what is written into its row of history
 * @param error why, if it failed
 * @param pause how long a failed task waits
 */
public record Outcome(ClaimedTask task, StateCode state, @Nullable String error, Duration pause) {

  /** Done, while its batch stays open. */
  public static Outcome done(ClaimedTask task) {
    return new Outcome(task, StateCode.DONE, null, Duration.ZERO);
  }

  /** Whether nothing need be written about it once its batch is closed. */
  public boolean isDone() {
    return state == StateCode.DONE;
  }

  /** Failed: tried again after a pause, or dead, as the policy says. */
  public static Outcome failed(ClaimedTask task, Throwable error, RetryPolicy policy) {
    return policy.retries(task.attempt())
        ? retried(task, Failures.text(error), policy.pauseAfter(task.attempt()))
        : dead(task, Failures.text(error));
  }

  static Outcome retried(ClaimedTask task, String error, Duration pause) {
    return new Outcome(task, StateCode.FAILED, Failures.cut(error), pause);
  }

  /** Failed, and not tried again. */
  public static Outcome dead(ClaimedTask task, String error) {
    return new Outcome(task, StateCode.DEAD, Failures.cut(error), Duration.ZERO);
  }

  /** Handed back before it began. */
  public static Outcome released(ClaimedTask task) {
    return new Outcome(task, StateCode.RELEASED, null, Duration.ZERO);
  }
}
