package dev.rota.graph.internal;

import dev.rota.NewTask;
import dev.rota.graph.TaskGraph;
import dev.rota.graph.TaskGraph.Node;
import dev.rota.internal.enqueue.TaskInserts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rows of a new graph: its nodes in topological order, so that parents have smaller ids. */
final class GraphRows {

  final long[] ids;
  final @Nullable Long[] culprits;
  final int[] missing;
  final short[] states;
  final short[] policies;
  final List<long[]> edges = new ArrayList<>();
  final List<Integer> active = new ArrayList<>();
  final List<Integer> held = new ArrayList<>();
  final List<Integer> unrun = new ArrayList<>();

  private final List<Node> nodes;
  private final List<NewTask> tasks;
  private final long[] idsByPosition;

  /**
   * Computes the rows of a graph.
   *
   * @param tasks in the order in which they were added
   * @param ids of its tasks, in topological order
   * @param earlier the states of tasks of other graphs that it depends on
   */
  GraphRows(TaskGraph graph, List<NewTask> tasks, long[] ids, Map<Long, NodeCode> earlier) {
    int count = ids.length;
    this.nodes = graph.inOrder();
    this.tasks = tasks;
    this.ids = ids;
    this.culprits = new Long[count];
    this.missing = new int[count];
    this.states = new short[count];
    this.policies = new short[count];
    this.idsByPosition = new long[count];
    for (int i = 0; i < count; i++) {
      idsByPosition[nodes.get(i).position()] = ids[i];
      add(i, nodes.get(i), earlier);
    }
  }

  NewTask task(int index) {
    return tasks.get(nodes.get(index).position());
  }

  /** Whether some task can begin at once. */
  boolean hasPending() {
    return active.stream().anyMatch(index -> !TaskInserts.isDelayed(task(index)));
  }

  /** The ids in the order in which the tasks were added. */
  long[] idsByPosition() {
    return idsByPosition;
  }

  private void add(int index, Node node, Map<Long, NodeCode> earlier) {
    for (Node parent : node.parents()) {
      addEdge(index, idsByPosition[parent.position()]);
    }
    for (long parent : node.parentTasks()) {
      NodeCode state = earlier.get(parent);
      if (state == null || !state.hasEnded()) {
        addEdge(index, parent);
      } else if (state.isDead()) {
        culprits[index] = parent;
      }
    }
    policies[index] = NodeCode.ofPolicy(node.deadParent());
    NodeCode state = stateOf(index, node);
    states[index] = state.code();
    if (state == NodeCode.ACTIVE) {
      active.add(index);
    } else {
      held.add(index);
    }
    if (state.hasEnded()) {
      unrun.add(index);
    }
  }

  private void addEdge(int child, long parent) {
    edges.add(new long[] {parent, ids[child]});
    missing[child]++;
  }

  private NodeCode stateOf(int index, Node node) {
    return missing[index] > 0
        ? NodeCode.BLOCKED
        : NodeCode.resolved(node.deadParent(), culprits[index] != null);
  }
}
