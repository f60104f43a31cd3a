package dev.rota.graph.internal;

import dev.rota.graph.DeadParent;
import dev.rota.internal.schema.AttemptStateCode;

/** Numbers in the tables of graphs. */
final class Nodes {

  private Nodes() {}

  static NodeCode codeOf(AttemptStateCode end) {
    return switch (end) {
      case DONE -> NodeCode.DONE;
      case DEAD -> NodeCode.DEAD;
      case CANCELLED -> NodeCode.CANCELLED;
      case AS_BATCH, FAILED, LOST, RELEASED ->
          throw new IllegalArgumentException(end + " does not end a task for good");
    };
  }

  /** The number in the column {@code on_dead}. */
  static short codeOf(DeadParent policy) {
    return switch (policy) {
      case CANCEL -> 0;
      case SKIP -> 1;
      case RELEASE -> 2;
    };
  }

  /** Where a task stands that no parent holds up any more. */
  static NodeCode resolved(DeadParent policy, boolean parentDied) {
    if (!parentDied || policy == DeadParent.RELEASE) {
      return NodeCode.ACTIVE;
    }
    return policy == DeadParent.SKIP ? NodeCode.SKIPPED : NodeCode.CANCELLED;
  }
}
