package dev.rota.graph;

/**
 * The fate of a task of a {@link TaskGraph} after one of its parents died or was cancelled. It is
 * decided when the last of its parents has ended, so that its children still begin after all of
 * them.
 */
public enum DeadParent {

  /** The task is cancelled, and so counts as a dead parent for its own children: the default. */
  CANCEL,

  /** The task never runs, and counts as done for its own children. */
  SKIP,

  /**
   * The task runs as if all its parents had succeeded, for instance to clean up or to report the
   * failure.
   */
  RELEASE
}
