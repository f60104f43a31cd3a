package dev.rota.graph.internal;

import dev.rota.graph.NodeState;

/** The numbers in the column {@code state} of the tasks of graphs. */
public enum NodeCode {
  BLOCKED(0, NodeState.BLOCKED),
  ACTIVE(1, NodeState.ACTIVE),
  DONE(2, NodeState.DONE),
  DEAD(3, NodeState.DEAD),
  CANCELLED(4, NodeState.CANCELLED),
  SKIPPED(5, NodeState.SKIPPED);

  private final short code;
  private final NodeState state;

  NodeCode(int code, NodeState state) {
    this.code = (short) code;
    this.state = state;
  }

  /** The number in the column. */
  public short code() {
    return code;
  }

  /** What users call it. */
  public NodeState state() {
    return state;
  }

  /** What a number in the column means. */
  public static NodeCode of(int code) {
    for (NodeCode each : values()) {
      if (each.code == code) {
        return each;
      }
    }
    throw new IllegalStateException("no state of a node has the number " + code);
  }

  /** Whether it has ended. */
  public boolean hasEnded() {
    return this != BLOCKED && this != ACTIVE;
  }

  /** Whether it counts as a dead parent. */
  public boolean isDead() {
    return this == DEAD || this == CANCELLED;
  }
}
