package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.graph.CyclicGraphException;
import dev.rota.graph.DeadParent;
import dev.rota.graph.TaskGraph;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests how graphs are built, and which ones are refused. */
class TaskGraphTest {

  private final TaskGraph.Builder graph = TaskGraph.builder();

  @Test
  void tasksAreOrderedBehindWhatTheyDependOn() {
    TaskGraph.Node last = graph.add(task("last"));
    TaskGraph.Node first = graph.add(task("first"));
    TaskGraph.Node middle = graph.add(task("middle")).dependsOn(first, first);
    last.dependsOn(middle, first);
    TaskGraph built = graph.build();
    assertThat(built.nodes()).containsExactly(last, first, middle);
    assertThat(built.inOrder()).containsExactly(first, middle, last);
    assertThat(middle.parents()).containsExactly(first);
  }

  @Test
  void aCycleIsNamed() {
    TaskGraph.Node load = graph.add("load", task("load"));
    TaskGraph.Node join = graph.add(task("join")).dependsOn(load);
    TaskGraph.Node report = graph.add("report", task("report")).dependsOn(join);
    graph.add(task("after")).dependsOn(report);
    join.dependsOn(report);
    assertThatThrownBy(graph::build)
        .isInstanceOfSatisfying(
            CyclicGraphException.class,
            e ->
                assertThat(e.cycle())
                    .isIn(
                        List.of("task 1 (join)", "'report'", "task 1 (join)"),
                        List.of("'report'", "task 1 (join)", "'report'")))
        .hasMessageContaining("the graph has a cycle:")
        .hasMessageContaining("'report' -> ");
  }

  @Test
  void aTaskThatDependsOnItselfIsACycle() {
    TaskGraph.Node alone = graph.add("alone", task("k"));
    alone.dependsOn(alone);
    assertThatThrownBy(graph::build)
        .isInstanceOf(CyclicGraphException.class)
        .hasMessageContaining("'alone' -> 'alone'");
  }

  @Test
  void aCycleOfAHundredThousandIsFoundWithoutRecursion() {
    List<TaskGraph.Node> nodes = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      nodes.add(graph.add(task("k")));
    }
    for (int i = 0; i < nodes.size(); i++) {
      nodes.get(i).dependsOn(nodes.get((i + 1) % nodes.size()));
    }
    assertThatThrownBy(graph::build)
        .isInstanceOfSatisfying(
            CyclicGraphException.class, e -> assertThat(e.cycle()).hasSize(nodes.size() + 1));
  }

  @Test
  void tasksOfAnotherGraphAreRefused() {
    TaskGraph.Node other = TaskGraph.builder().add("other", task("k"));
    assertThatThrownBy(() -> graph.add(task("k")).dependsOn(other))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'other' belongs to another graph");
  }

  @Test
  void aGraphThatIsBuiltStaysAsItIs() {
    TaskGraph.Node node = graph.add(task("k"));
    TaskGraph.Node other = graph.add(task("k"));
    graph.build();
    assertThatThrownBy(() -> node.dependsOn(other)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> node.dependsOnTasks(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> graph.add(task("k"))).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> node.parents().add(other))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void aTaskHasItsOwnPolicyOrThatOfTheGraph() {
    TaskGraph.Node own = graph.add(task("k")).onDeadParent(DeadParent.RELEASE);
    TaskGraph.Node common = graph.add(task("k"));
    assertThat(common.deadParent()).isEqualTo(DeadParent.CANCEL);
    graph.onDeadParent(DeadParent.SKIP);
    assertThat(common.deadParent()).isEqualTo(DeadParent.SKIP);
    assertThat(own.deadParent()).isEqualTo(DeadParent.RELEASE);
  }

  private static NewTask task(String kind) {
    return NewTask.of(kind, "{}");
  }
}
