package dev.rota.dashboard.internal.action;

import dev.rota.control.ProgressListener;
import dev.rota.dashboard.internal.action.Action.Counted;
import dev.rota.dashboard.internal.action.Action.Plan;
import dev.rota.dashboard.internal.view.Show;
import dev.rota.dashboard.internal.view.Visit;
import java.time.Duration;

/**
 * Counts for a plan, for at most two seconds. Large numbers need not be exact: unless the viewer
 * asks to count for longer, it stops after a moment once there are many. Used by one thread.
 */
final class CountListener implements ProgressListener {

  private static final Duration MOMENT = Duration.ofMillis(60);
  private static final Duration LONGEST = Duration.ofSeconds(2);
  private static final int MANY_TASKS = 1_000;
  private static final int MANY_TENANTS = 100;

  private final long begun = System.nanoTime();
  private final boolean patient;
  private boolean cut;

  CountListener(Visit visit) {
    this.patient = visit.parameter(Plan.COUNT).isPresent();
  }

  /** Does not begin to count the tasks of too many tenants. */
  void begin(int tenants) {
    cut |= !patient && tenants > MANY_TENANTS;
  }

  @Override
  public boolean proceed(long tasks) {
    cut |= !patient && tasks >= MANY_TASKS && isLonger(MOMENT);
    return !isCut();
  }

  private boolean isLonger(Duration time) {
    return System.nanoTime() - begun > time.toNanos();
  }

  /** Whether there is no time for the rest. */
  boolean isCut() {
    cut |= isLonger(LONGEST);
    return cut;
  }

  /** A number of tasks in words: at least so many if the count was cut. */
  String text(long tasks) {
    String number = cut ? "at least " + Show.count(tasks) : Show.count(tasks);
    return number + (tasks == 1 && !cut ? " task" : " tasks");
  }

  /** The number for the audit; empty if the count was cut. */
  Counted exact(long tasks) {
    return cut ? Counted.CUT : Counted.of(tasks);
  }
}
