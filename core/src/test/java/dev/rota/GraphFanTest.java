package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.graph.EnqueuedGraph;
import dev.rota.graph.NodeState;
import dev.rota.graph.TaskGraph;
import dev.rota.testing.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests very many children of one parent, and very many parents of one child. */
@RotaTest
@PostgresVersions(18)
@Tag("exhaustive")
class GraphFanTest {

  private static final int MANY = 100_000;
  private static final int SEVERAL_STEPS = 10_001;

  private final TaskGraph.Builder builder = TaskGraph.builder();
  @Given private GraphFixture fixture;

  @Test
  void aHundredThousandFanOutAndComeTogetherAgain() throws Exception {
    TaskGraph.Node split = builder.add(NewTask.of("split", "{}"));
    List<TaskGraph.Node> parts = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      parts.add(builder.add(NewTask.of("part", "{}")).dependsOn(split));
    }
    builder.add(NewTask.of("join", "{}")).dependsOn(parts);
    EnqueuedGraph graph = fixture.graphs().enqueue(builder.build());
    fixture.assertStates(graph, Map.of(NodeState.ACTIVE, 1, NodeState.BLOCKED, MANY + 1));

    LongAdder partsRun = new LongAdder();
    LongAdder partsSeen = new LongAdder();
    try (Worker first = worker(fixture.rota(), partsRun, partsSeen);
        Worker second = worker(fixture.another(), partsRun, partsSeen)) {
      Await.until(
          "all done", () -> first.statistics().done() + second.statistics().done(), MANY + 2);
    }
    assertThat(partsRun.sum()).isEqualTo(MANY);
    assertThat(partsSeen.sum()).as("parts that had run when all came together").isEqualTo(MANY);
    fixture.assertStates(graph, Map.of(NodeState.DONE, MANY + 2));
  }

  @Test
  void tenThousandAreCancelledForOneDeadParentInSeveralSteps() throws Exception {
    TaskGraph.Node split = builder.add(NewTask.of("split", "{}"));
    for (int i = 0; i < SEVERAL_STEPS; i++) {
      builder.add(NewTask.of("part", "{}")).dependsOn(split);
    }
    EnqueuedGraph graph = fixture.graphs().enqueue(builder.build());
    fixture.run(kind -> false);
    fixture.awaitSpread();
    fixture.assertStates(graph, Map.of(NodeState.DEAD, 1, NodeState.CANCELLED, SEVERAL_STEPS));
    fixture.assertCounts(Map.of(TaskState.DEAD, 1, TaskState.CANCELLED, SEVERAL_STEPS));
  }

  private static Worker worker(Rota rota, LongAdder run, LongAdder seen) {
    return rota.worker()
        .handleBatch("part", tasks -> run.add(tasks.size()))
        .handle("split", task -> {})
        .handle("join", task -> seen.add(run.sum()))
        .start();
  }
}
