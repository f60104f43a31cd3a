package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.control.TaskFilter;
import dev.rota.graph.TaskGraph;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests tasks that have a priority and a key or a place in a graph, on the oldest and newest
 * server.
 */
@RotaTest
@PostgresVersions({15, 18})
class KeyedLanesTest {

  private static final NewTask INDEX = NewTask.of("index", "{}").priority(7);

  @Given private Tenant acme;

  @BeforeEach
  void open() {
    acme.enqueue(NewTask.of("index", "{}"));
  }

  @Test
  void aTaskWithAKeyChangesItsPriorityByTheKey() {
    long id = acme.enqueue(INDEX.withKey("doc"));
    assertThat(acme.enqueue(INDEX.withKey("doc"))).isEqualTo(id);
    assertThat(acme.control().changePriority(TaskFilter.all().key("doc"), -7)).isEqualTo(1);
    assertThat(acme.enqueue(INDEX.withKey("doc"))).isEqualTo(id);
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::priority).containsExactly(0, -7);
      batch.settle();
    }
    assertThat(acme.enqueue(INDEX.withKey("doc"))).isNotEqualTo(id);
  }

  @Test
  void aNewerVersionRunsInTheLaneOfTheTask() {
    long id = acme.enqueue(INDEX.withKey(TaskKey.versioned("doc", 1)));
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::priority).containsExactly(7, 0);
      assertThat(acme.enqueue(INDEX.withKey(TaskKey.versioned("doc", 2)))).isEqualTo(id);
      batch.settle();
    }
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::id).containsExactly(id);
      assertThat(batch.tasks()).extracting(Task::priority).containsExactly(7);
      batch.fail(batch.tasks().get(0), "not yet", Duration.ofHours(1));
      batch.settle();
    }
    assertThat(acme.enqueue(INDEX.withKey(TaskKey.versioned("doc", 3)))).isEqualTo(id);
    assertThat(acme.claim(10).tasks()).extracting(Task::priority).containsExactly(7);
  }

  @Test
  void tasksOfAGraphHavePrioritiesBeforeAndAfterTheirParents() {
    acme.control().cancel(TaskFilter.all(), "out of the way");
    TaskGraph.Builder graph = TaskGraph.builder();
    TaskGraph.Node parent = graph.add(INDEX.priority(3));
    graph.add(NewTask.of("index", "low")).dependsOn(parent);
    graph.add(NewTask.of("index", "high").priority(9)).dependsOn(parent);
    acme.graphs().enqueue(graph.build());
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::priority).containsExactly(3);
      batch.settle();
    }
    assertThat(acme.claim(10).tasks())
        .extracting(task -> task.payload() + " " + task.priority())
        .containsExactly("high 9", "low 0");
  }
}
