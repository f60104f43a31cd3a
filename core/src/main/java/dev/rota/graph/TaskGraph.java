package dev.rota.graph;

import dev.rota.NewTask;
import dev.rota.internal.text.SafeText;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Tasks that depend on each other, enqueued together by {@link Graphs#enqueue(TaskGraph)}. A task
 * becomes pending when all tasks that it depends on, its parents, have ended. Immutable and
 * thread-safe; it can be enqueued any number of times.
 *
 * <p>The order is found by Kahn's algorithm (A. B. Kahn, Topological sorting of large networks,
 * Communications of the ACM, 1962).
 */
public final class TaskGraph {

  private final List<Node> nodes;
  private final List<Node> order;

  private TaskGraph(List<Node> nodes, List<Node> order) {
    this.nodes = nodes;
    this.order = order;
  }

  /**
   * Creates a builder of a graph.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * The tasks of the graph.
   *
   * @return in the order in which they were added
   */
  public List<Node> nodes() {
    return nodes;
  }

  /**
   * The tasks of the graph, each after all its parents.
   *
   * @return a topological order
   */
  public List<Node> inOrder() {
    return order;
  }

  @Override
  public String toString() {
    return "TaskGraph[" + nodes.size() + " tasks]";
  }

  /** Adds tasks and dependencies, and builds the graph. Not thread-safe. */
  public static final class Builder {

    private final List<Node> nodes = new ArrayList<>();
    private DeadParent deadParent = DeadParent.CANCEL;
    private boolean built;

    private Builder() {}

    /**
     * Adds a task.
     *
     * @param task the task; its time or delay, if it has one, counts once its parents have ended
     * @return the task in the graph, to add its dependencies
     */
    public Node add(NewTask task) {
      return add(Optional.empty(), task);
    }

    /**
     * Adds a task with a name for error messages.
     *
     * @param name the name; need not be unique
     * @param task the task
     * @return the task in the graph, to add its dependencies
     */
    public Node add(String name, NewTask task) {
      return add(Optional.of(name), task);
    }

    /**
     * Sets the fate of a task after one of its parents died, unless {@link Node#onDeadParent}
     * overrides it; {@link DeadParent#CANCEL} by default.
     *
     * @param policy the policy
     * @return this builder
     */
    public Builder onDeadParent(DeadParent policy) {
      requireOpen();
      deadParent = Objects.requireNonNull(policy, "policy");
      return this;
    }

    /**
     * Builds the graph; the builder cannot be used afterwards.
     *
     * @return the graph
     * @throws CyclicGraphException if tasks depend on each other in a cycle
     */
    public TaskGraph build() {
      requireOpen();
      List<Node> all = List.copyOf(nodes);
      List<Node> order = Sorting.of(all);
      built = true;
      return new TaskGraph(all, order);
    }

    private Node add(Optional<String> name, NewTask task) {
      requireOpen();
      Node node = new Node(this, nodes.size(), name, Objects.requireNonNull(task, "task"));
      nodes.add(node);
      return node;
    }

    private void requireOpen() {
      if (built) {
        throw new IllegalStateException("this graph is built; make another builder to change it");
      }
    }
  }

  /** A task in a graph. Not thread-safe until the graph is built, then immutable. */
  public static final class Node {

    private final Builder builder;
    private final int position;
    private final Optional<String> name;
    private final NewTask task;
    private final Set<Node> parents = new LinkedHashSet<>();
    private final Set<Long> earlier = new LinkedHashSet<>();
    private Optional<DeadParent> deadParent = Optional.empty();

    private Node(Builder builder, int position, Optional<String> name, NewTask task) {
      this.builder = builder;
      this.position = position;
      this.name = name;
      this.task = task;
    }

    /**
     * Lets this task begin only after the given tasks have ended.
     *
     * @param tasks tasks of the same builder, added before or after this one
     * @return this node
     * @throws IllegalArgumentException if one belongs to another builder
     */
    public Node dependsOn(Node... tasks) {
      return dependsOn(Arrays.asList(tasks));
    }

    /**
     * Lets this task begin only after the given tasks have ended.
     *
     * @param tasks tasks of the same builder, added before or after this one
     * @return this node
     * @throws IllegalArgumentException if one belongs to another builder
     */
    public Node dependsOn(Collection<Node> tasks) {
      builder.requireOpen();
      for (Node parent : tasks) {
        if (parent.builder != builder) {
          throw new IllegalArgumentException(
              parent.label()
                  + " belongs to another graph; once that is enqueued, depend on the id of the task"
                  + " (dependsOnTasks)");
        }
        parents.add(parent);
      }
      return this;
    }

    /**
     * Lets this task begin only after the given tasks have ended. They were enqueued earlier in
     * another graph of the same tenant.
     *
     * @param ids the ids of the tasks
     * @return this node
     */
    public Node dependsOnTasks(long... ids) {
      builder.requireOpen();
      Arrays.stream(ids).forEach(earlier::add);
      return this;
    }

    /**
     * Sets the fate of this task after one of its parents died or was cancelled.
     *
     * @param policy the policy, instead of that of the graph
     * @return this node
     */
    public Node onDeadParent(DeadParent policy) {
      builder.requireOpen();
      deadParent = Optional.of(policy);
      return this;
    }

    /**
     * The fate of this task after one of its parents died or was cancelled.
     *
     * @return its own policy, or that of the graph
     */
    public DeadParent deadParent() {
      return deadParent.orElse(builder.deadParent);
    }

    /**
     * The task.
     *
     * @return the task that was added
     */
    public NewTask task() {
      return task;
    }

    /**
     * The position of the task in the graph.
     *
     * @return the index in {@link TaskGraph#nodes()}
     */
    public int position() {
      return position;
    }

    /**
     * The tasks of the graph that this one depends on.
     *
     * @return an unmodifiable set
     */
    public Set<Node> parents() {
      return Collections.unmodifiableSet(parents);
    }

    /**
     * The tasks of other graphs that this one depends on.
     *
     * @return an unmodifiable set of ids
     */
    public Set<Long> parentTasks() {
      return Collections.unmodifiableSet(earlier);
    }

    /**
     * The name of this task in error messages.
     *
     * @return its name, or its position and kind
     */
    public String label() {
      return name.map(given -> "'" + SafeText.of(given) + "'")
          .orElseGet(() -> "task " + position + " (" + task.kind() + ")");
    }

    @Override
    public String toString() {
      return "Node[" + label() + ", " + parents.size() + " parents]";
    }
  }

  /** Sorts tasks topologically, each after its parents. */
  private static final class Sorting {

    private final List<Node> nodes;
    private final int[] missing;
    private final List<List<Node>> children = new ArrayList<>();

    private Sorting(List<Node> nodes) {
      this.nodes = nodes;
      this.missing = nodes.stream().mapToInt(node -> node.parents.size()).toArray();
      nodes.forEach(node -> children.add(new ArrayList<>(0)));
      nodes.forEach(
          node -> node.parents.forEach(parent -> children.get(parent.position).add(node)));
    }

    static List<Node> of(List<Node> nodes) {
      return new Sorting(nodes).sort();
    }

    private List<Node> sort() {
      List<Node> order = new ArrayList<>(nodes.size());
      Deque<Node> free = new ArrayDeque<>();
      nodes.stream().filter(node -> missing[node.position] == 0).forEach(free::add);
      while (!free.isEmpty()) {
        Node node = free.remove();
        order.add(node);
        for (Node child : children.get(node.position)) {
          if (--missing[child.position] == 0) {
            free.add(child);
          }
        }
      }
      if (order.size() < nodes.size()) {
        throw new CyclicGraphException(cycle());
      }
      return List.copyOf(order);
    }

    /**
     * Finds a cycle. Each task that could not be sorted has such a parent itself, so a walk along
     * parents must return to a visited task.
     */
    private List<String> cycle() {
      Set<Node> path = new LinkedHashSet<>();
      Node node = nodes.stream().filter(this::isStuck).findFirst().orElseThrow();
      while (path.add(node)) {
        node = node.parents.stream().filter(this::isStuck).findFirst().orElseThrow();
      }
      List<Node> upwards = new ArrayList<>(path);
      List<Node> circle = new ArrayList<>(upwards.subList(upwards.indexOf(node), upwards.size()));
      circle.add(node);
      Collections.reverse(circle);
      return circle.stream().map(Node::label).toList();
    }

    private boolean isStuck(Node node) {
      return missing[node.position] > 0;
    }
  }
}
