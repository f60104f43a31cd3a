package dev.rota.graph.internal;

import dev.rota.graph.DeadParent;
import dev.rota.graph.NodeState;
import dev.rota.internal.schema.AttemptStateCode;

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

  /** The state in the API. */
  public NodeState state() {
    return state;
  }

  /** The constant of a number in the column. */
  public static NodeCode of(int code) {
    for (NodeCode each : values()) {
      if (each.code == code) {
        return each;
      }
    }
    throw new IllegalStateException("no state of a node has the number " + code);
  }

  /** Where a task stands that has ended for good. */
  static NodeCode after(AttemptStateCode end) {
    return switch (end) {
      case DONE -> DONE;
      case DEAD -> DEAD;
      case CANCELLED -> CANCELLED;
      case AS_BATCH, FAILED, LOST, RELEASED ->
          throw new IllegalArgumentException(end + " does not end a task for good");
    };
  }

  /** Where a task stands that no parent holds up any more. */
  static NodeCode resolved(DeadParent policy, boolean parentDied) {
    if (!parentDied || policy == DeadParent.RELEASE) {
      return ACTIVE;
    }
    return policy == DeadParent.SKIP ? SKIPPED : CANCELLED;
  }

  /** The number in the column {@code on_dead}. */
  static short ofPolicy(DeadParent policy) {
    return switch (policy) {
      case CANCEL -> 0;
      case SKIP -> 1;
      case RELEASE -> 2;
    };
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
