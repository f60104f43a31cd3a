package dev.rota.graph;

/**
 * What becomes of a task of a {@link TaskGraph} when one of its parents died or was cancelled. It
 * is decided when the last of its parents has ended, so that whatever depends on it still begins
 * after all of them.
 */
public enum DeadParent {

  /** It is cancelled, and so counts as a dead parent for its own children: the default. */
  CANCEL,

  /** It never runs, and counts as done for its own children. */
  SKIP,

  /** It runs as if all its parents had succeeded: clean-up, or a report of what went wrong. */
  RELEASE
}
