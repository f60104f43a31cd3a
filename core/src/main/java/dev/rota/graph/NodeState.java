package dev.rota.graph;

/** The state of a task of a {@link TaskGraph}. */
public enum NodeState {

  /** A parent has not ended yet. */
  BLOCKED,

  /** All parents have ended: it is pending, waits for its time or its next attempt, or runs. */
  ACTIVE,

  /** It succeeded. */
  DONE,

  /** Its last attempt failed. */
  DEAD,

  /** It was cancelled, by a caller or because of a dead parent, and never ran to an end. */
  CANCELLED,

  /** It never ran because of a dead parent, and counts as done ({@link DeadParent#SKIP}). */
  SKIPPED
}
