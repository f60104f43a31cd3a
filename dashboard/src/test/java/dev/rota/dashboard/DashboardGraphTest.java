package dev.rota.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.graph.EnqueuedGraph;
import dev.rota.graph.TaskGraph;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the pages of graphs. */
@RotaTest
class DashboardGraphTest {

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  private final TaskGraph.Builder graph = TaskGraph.builder();

  private String page(EnqueuedGraph enqueued) {
    Browsing browsing = new Browsing(Dashboard.builder(fixture.rota()).build());
    String id = Long.toString(enqueued.id());
    assertThat(browsing.page("/graphs", "tenant", "acme"))
        .contains("/graph?id=" + id + "&amp;tenant=acme");
    assertThat(browsing.get("/graph", "tenant", "acme", "id", "123456").status()).isEqualTo(404);
    assertThat(browsing.get("/graph", "tenant", "acme", "id", "x").status()).isEqualTo(400);
    return browsing.page("/graph", "tenant", "acme", "id", id);
  }

  @Test
  @Tag("exhaustive")
  void eachTaskStandsBelowThoseThatItDependsOn() {
    TaskGraph.Node fetch = graph.add(NewTask.of("fetch", "{}"));
    TaskGraph.Node encode = graph.add(NewTask.of("encode", "{}")).dependsOn(fetch);
    graph.add(NewTask.of("a-kind-with-a-long-name", "{}")).dependsOn(fetch, encode);
    EnqueuedGraph enqueued = acme.graphs().enqueue(graph.build());
    String page = page(enqueued);
    assertThat(page).containsOnlyOnce("data-state=\"active\"").contains("data-state=\"blocked\"");
    assertThat(page).contains(">encode</text>").contains(">a-kind-with-a-lo…</text>");
    assertThat(page)
        .contains("<title>a-kind-with-a-long-name, task %d".formatted(enqueued.taskIds().get(2)));
    assertThat(page.split("<path d=\"M", -1)).as("a line for each dependency").hasSize(4);
    for (long task : enqueued.taskIds()) {
      assertThat(page).contains("/ops/rota/task?id=" + task + "&amp;tenant=acme");
    }
  }

  @Test
  void manyTasksOfOneDepthAreOneBox() {
    TaskGraph.Node first = graph.add(NewTask.of("first", "{}"));
    List<TaskGraph.Node> wide =
        IntStream.range(0, 2_500)
            .mapToObj(i -> graph.add(NewTask.of("wide", "{}")).dependsOn(first))
            .toList();
    graph.add(NewTask.of("last", "{}")).dependsOn(wide);
    String page = page(acme.graphs().enqueue(graph.build()));
    assertThat(page).contains("tasks</text>").contains("The first 2,000 of 2,502 tasks");
    assertThat(page.split("class=\"box\"", -1)).hasSizeLessThan(6);
    assertThat(page).contains("The table ends after 200 tasks");
  }
}
