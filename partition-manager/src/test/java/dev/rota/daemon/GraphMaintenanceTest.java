package dev.rota.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.PostgresVersions;
import dev.rota.RotaTest;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.graph.DeadParent;
import dev.rota.graph.EnqueuedGraph;
import dev.rota.graph.GraphProgress;
import dev.rota.graph.NodeState;
import dev.rota.graph.TaskGraph;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the daemon's maintenance of graphs. */
@RotaTest
@PostgresVersions({15, 18})
@Tag("exhaustive")
class GraphMaintenanceTest {

  private final TaskGraph.Builder builder = TaskGraph.builder();
  @Given private DaemonFixture fixture;
  private Tenant acme;

  @BeforeEach
  void open() {
    fixture.rota().tenants().register("acme");
    Faults faults = new Faults();
    // As if the process died right after it settled.
    faults.before("take spread").always().optional().fail();
    acme = fixture.observed(faults).tenants().get("acme");
  }

  @Test
  void whatADeadProcessHasNotSpreadIsSpreadThroughAllGenerations() throws Exception {
    TaskGraph.Node parent = builder.add(task("parent"));
    for (int i = 0; i < 10; i++) {
      parent = builder.add(task("generation")).dependsOn(parent);
    }
    builder.add(task("clean")).dependsOn(parent).onDeadParent(DeadParent.RELEASE);
    EnqueuedGraph graph = acme.graphs().enqueue(builder.build());
    kill();
    assertThat(progress(graph).count(NodeState.CANCELLED)).isEqualTo(1);
    assertThat(fixture.rota().tenants().get("acme").claim(10).tasks()).isEmpty();

    fixture.daemon(settings -> settings);
    Await.until("clean-up is pending", () -> progress(graph).count(NodeState.ACTIVE), 1);
    assertThat(progress(graph).count(NodeState.CANCELLED)).isEqualTo(10);
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(task -> task.kind()).containsExactly("clean");
      batch.settle();
    }
    assertThat(acme.history().scanStates()).containsEntry(TaskState.CANCELLED, 10L);
  }

  @Test
  void graphsAreForgottenWhenTheyFinishedLongEnoughAgo() throws Exception {
    List<TaskGraph.Node> many =
        IntStream.range(0, 6_000).mapToObj(i -> builder.add(task("many"))).toList();
    builder.add(task("last")).dependsOn(many);
    EnqueuedGraph large = acme.graphs().enqueue(builder.build());
    while (!progress(large).isFinished()) {
      try (Batch batch = acme.claim(10_000)) {
        batch.settle();
      }
    }
    TaskGraph.Builder open = TaskGraph.builder();
    open.add(task("open").after(Duration.ofHours(1)));
    EnqueuedGraph kept = acme.graphs().enqueue(open.build());
    try (RotationDaemon patient = fixture.daemon(settings -> settings)) {
      Await.until(
          "it is seen", () -> number("select count(finished_at) from rota_1.task_graph_1"), 1);
      assertThat(progress(large).count(NodeState.DONE)).isEqualTo(6_001);
    }
    // Its next visit comes after 40 ticks.
    fixture.daemon(settings -> settings.keepGraphs(Duration.ZERO).tick(Duration.ofMinutes(1)));
    Await.until("it is forgotten", () -> acme.graphs().find(large.id()).isEmpty());
    assertThat(progress(kept).count(NodeState.ACTIVE)).isEqualTo(1);
    assertThat(number("select count(*) from rota_1.task_node_1")).isEqualTo(1);
    assertThat(number("select count(*) from rota_1.task_edge_1")).isZero();
  }

  private void kill() {
    try (Batch batch = acme.claim(1)) {
      batch.dead(batch.tasks().get(0), "broken");
      batch.settle();
    }
  }

  private GraphProgress progress(EnqueuedGraph graph) {
    return acme.graphs().find(graph.id()).orElseThrow();
  }

  private long number(String sql) throws Exception {
    return fixture.number(sql);
  }

  private static NewTask task(String kind) {
    return NewTask.of(kind, "{}");
  }
}
