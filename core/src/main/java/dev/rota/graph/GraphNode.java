package dev.rota.graph;

import java.util.List;
import java.util.Optional;

/**
 * A task of an enqueued graph. Immutable.
 *
 * @param taskId the id of the task
 * @param state its state
 * @param kind its kind while it is blocked; empty later, when history has it
 * @param children the tasks of the same graph that depend on it, by id; at most as many as the
 *     limit
 * @see Graphs#nodes(long, long, int)
 */
public record GraphNode(long taskId, NodeState state, Optional<String> kind, List<Long> children) {

  /**
   * Copies the list.
   *
   * @param taskId the id of the task
   * @param state its state
   * @param kind its kind while it is blocked
   * @param children the tasks that depend on it
   */
  public GraphNode {
    children = List.copyOf(children);
  }
}
