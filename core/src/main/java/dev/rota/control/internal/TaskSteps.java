package dev.rota.control.internal;

import dev.rota.control.ProgressListener;
import dev.rota.internal.settle.BlockRanges;

/** Adds up the steps of a call over several tables. Used by one thread. */
final class TaskSteps implements BlockRanges.Listener {

  private final ProgressListener progress;
  private long tasks;
  private boolean ended;

  TaskSteps(ProgressListener progress) {
    this.progress = progress;
  }

  @Override
  public boolean proceed(long rows) {
    tasks += rows;
    ended |= !progress.proceed(tasks);
    return !ended;
  }

  /** Whether the caller wants no further step. */
  boolean ended() {
    return ended;
  }

  long tasks() {
    return tasks;
  }
}
