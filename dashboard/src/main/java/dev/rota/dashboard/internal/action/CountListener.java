package dev.rota.dashboard.internal.action;

import dev.rota.control.ProgressListener;
import dev.rota.dashboard.internal.view.Show;
import java.time.Duration;
import java.util.OptionalLong;

/** Counts for a plan, for at most two seconds. Used by one thread. */
final class CountListener implements ProgressListener {

  private static final Duration LONGEST = Duration.ofSeconds(2);

  private final long end = System.nanoTime() + LONGEST.toNanos();
  private boolean cut;

  @Override
  public boolean proceed(long tasks) {
    cut |= System.nanoTime() - end > 0;
    return !cut;
  }

  /** Whether there was no time for the rest. */
  boolean isCut() {
    return cut;
  }

  /** A number of tasks in words: at least so many if the count was cut. */
  String text(long tasks) {
    String number = cut ? "at least " + Show.count(tasks) : Show.count(tasks);
    return number + (tasks == 1 && !cut ? " task" : " tasks");
  }

  /** The number for the audit; empty if the count was cut. */
  OptionalLong exact(long tasks) {
    return cut ? OptionalLong.empty() : OptionalLong.of(tasks);
  }
}
