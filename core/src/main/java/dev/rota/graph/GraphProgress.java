package dev.rota.graph;

import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;

/**
 * The progress of a graph.
 *
 * @param id the id of the graph
 * @param createdAt when it was enqueued, by the clock of the database
 * @param counts how many of its tasks are in each state, zero included
 */
public record GraphProgress(long id, Instant createdAt, Map<NodeState, Long> counts) {

  /**
   * Keeps a copy of the map, and counts zero for states that are not in it.
   *
   * @param id the id of the graph
   * @param createdAt when it was enqueued
   * @param counts how many tasks are in each state
   */
  public GraphProgress {
    Map<NodeState, Long> all = new EnumMap<>(NodeState.class);
    for (NodeState state : NodeState.values()) {
      all.put(state, counts.getOrDefault(state, 0L));
    }
    counts = Map.copyOf(all);
  }

  /**
   * Counts the tasks in a state.
   *
   * @param state the state
   * @return the count
   */
  public long count(NodeState state) {
    return counts.getOrDefault(state, 0L);
  }

  /**
   * Counts the tasks of the graph.
   *
   * @return the count
   */
  public long tasks() {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  /**
   * Counts the tasks that have ended, in any final state.
   *
   * @return the count
   */
  public long ended() {
    return tasks() - count(NodeState.BLOCKED) - count(NodeState.ACTIVE);
  }

  /**
   * Whether all tasks have ended.
   *
   * @return true if none is blocked or active
   */
  public boolean isFinished() {
    return ended() == tasks();
  }
}
