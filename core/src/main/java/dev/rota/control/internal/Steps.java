package dev.rota.control.internal;

import dev.rota.control.Progress;
import dev.rota.internal.settle.BlockRanges;

/** Adds up the steps of a call over several tables. Used by one thread. */
final class Steps implements BlockRanges.Listener {

  private final Progress progress;
  private long tasks;
  private boolean ended;

  Steps(Progress progress) {
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
