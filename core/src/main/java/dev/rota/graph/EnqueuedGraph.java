package dev.rota.graph;

import java.util.List;

/**
 * A graph that was enqueued.
 *
 * @param id the id of the graph, for {@link Graphs#find} and {@link Graphs#cancel}
 * @param taskIds the ids of its tasks, in the order in which they were added
 */
public record EnqueuedGraph(long id, List<Long> taskIds) {

  /**
   * Keeps a copy of the list.
   *
   * @param id the id of the graph
   * @param taskIds the ids of its tasks
   */
  public EnqueuedGraph {
    taskIds = List.copyOf(taskIds);
  }

  /**
   * The id of one task.
   *
   * @param node the task in the graph that was enqueued
   * @return its id
   */
  public long taskId(TaskGraph.Node node) {
    return taskIds.get(node.position());
  }
}
