package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.Batch.SettleResult;
import dev.rota.control.Redrive;
import dev.rota.control.TaskFilter;
import dev.rota.graph.DeadParent;
import dev.rota.graph.EnqueuedGraph;
import dev.rota.graph.GraphNode;
import dev.rota.graph.GraphProgress;
import dev.rota.graph.NodeState;
import dev.rota.graph.TaskGraph;
import dev.rota.graph.UnknownGraphException;
import dev.rota.graph.UnknownParentException;
import dev.rota.testing.Faults;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests tasks that depend on each other: their order, and tasks that never begin. */
@RotaTest
@PostgresVersions({15, 18})
class GraphTest {

  private final TaskGraph.Builder builder = TaskGraph.builder();
  @Given private GraphFixture fixture;

  @Test
  void aTaskBeginsWhenAllItsParentsAreDone() {
    TaskGraph.Node a = builder.add(task("a"));
    TaskGraph.Node b = builder.add(task("b")).dependsOn(a);
    TaskGraph.Node c = builder.add(task("c")).dependsOn(a);
    TaskGraph.Node d = builder.add(task("d")).dependsOn(b, c);
    EnqueuedGraph graph = enqueue();

    fixture.assertCounts(Map.of(TaskState.PENDING, 1));
    fixture.assertStates(graph, Map.of(NodeState.ACTIVE, 1, NodeState.BLOCKED, 3));
    assertThat(fixture.run()).containsExactly("a");
    fixture.assertStates(
        graph, Map.of(NodeState.DONE, 1, NodeState.ACTIVE, 2, NodeState.BLOCKED, 1));
    try (Batch one = fixture.tenant().claim(1)) {
      one.settle();
    }
    fixture.assertCounts(Map.of(TaskState.DONE, 2, TaskState.PENDING, 1));
    fixture.run();
    try (Batch last = fixture.tenant().claim(10)) {
      assertThat(last.tasks())
          .singleElement()
          .satisfies(
              task -> {
                assertThat(task.id()).isEqualTo(graph.taskId(d));
                assertThat(task.payload()).isEqualTo("payload of d");
                assertThat(task.parentId()).hasValue(77);
                assertThat(task.attempt()).isEqualTo(1);
              });
      last.settle();
    }
    GraphProgress end = fixture.graphs().find(graph.id()).orElseThrow();
    assertThat(end.isFinished()).isTrue();
    assertThat(end.tasks()).isEqualTo(4);
    assertThat(end.count(NodeState.DONE)).isEqualTo(4);
    assertThat(List.of(graph.taskId(a), graph.taskId(b), graph.taskId(c), graph.taskId(d)))
        .isEqualTo(graph.taskIds())
        .isSorted();
  }

  @Test
  void aTaskThatFailsAndIsTriedAgainHoldsUpItsChildren() {
    builder.add(task("child")).dependsOn(builder.add(task("parent")));
    EnqueuedGraph graph = enqueue();
    try (Batch batch = fixture.tenant().claim(1)) {
      batch.fail(batch.tasks().get(0), "later", Duration.ofHours(1));
      batch.settle();
    }
    fixture.assertStates(graph, Map.of(NodeState.ACTIVE, 1, NodeState.BLOCKED, 1));
  }

  @Test
  void aBatchThatIsHandedBackReleasesNobody() {
    builder.add(task("child")).dependsOn(builder.add(task("parent")));
    enqueue();
    fixture.tenant().claim(1).close();
    assertThat(fixture.run()).containsExactly("parent");
    assertThat(fixture.run()).containsExactly("child");
  }

  @Test
  void aDeadParentCancelsWhatDependsOnIt() throws Exception {
    TaskGraph.Node dead = builder.add(task("dead"));
    TaskGraph.Node child = builder.add(task("child")).dependsOn(dead);
    TaskGraph.Node grandchild = builder.add(task("grandchild")).dependsOn(child);
    builder.add(task("other"));
    EnqueuedGraph graph = enqueue();

    fixture.run(kind -> !kind.equals("dead"));
    fixture.awaitSpread();
    fixture.assertStates(
        graph, Map.of(NodeState.DEAD, 1, NodeState.CANCELLED, 2, NodeState.DONE, 1));
    fixture.assertCounts(Map.of(TaskState.DEAD, 1, TaskState.CANCELLED, 2, TaskState.DONE, 1));
    assertThat(fixture.reasons())
        .containsExactly(
            "cancelled: its parent, task " + graph.taskId(dead) + ", did not succeed",
            "cancelled: its parent, task " + graph.taskId(child) + ", did not succeed");
    assertThat(fixture.tenant().history().scanAttempts(graph.taskId(grandchild)))
        .extracting(Attempt::state)
        .containsExactly(TaskState.CANCELLED);
    assertThat(fixture.number("select count(*) from rota_1.task_held_1")).isZero();
  }

  @Test
  void aSkippedTaskCountsAsDoneForItsChildren() throws Exception {
    TaskGraph.Node dead = builder.add(task("dead"));
    TaskGraph.Node skipped =
        builder.add(task("skipped")).dependsOn(dead).onDeadParent(DeadParent.SKIP);
    builder.add(task("next")).dependsOn(skipped);
    EnqueuedGraph graph = enqueue();

    fixture.run(kind -> false);
    fixture.awaitSpread();
    assertThat(fixture.run()).containsExactly("next");
    fixture.assertStates(graph, Map.of(NodeState.DEAD, 1, NodeState.SKIPPED, 1, NodeState.DONE, 1));
    assertThat(fixture.reasons())
        .containsExactly("skipped: its parent, task " + graph.taskId(dead) + ", did not succeed");
  }

  @Test
  void aReleasedTaskRunsAllTheSameButOnlyWhenAllHaveEnded() throws Exception {
    TaskGraph.Node dead = builder.add(task("dead"));
    TaskGraph.Node slow = builder.add(task("slow"));
    TaskGraph.Node cancelled = builder.add(task("cancelled")).dependsOn(dead, slow);
    builder.add(task("clean")).dependsOn(cancelled).onDeadParent(DeadParent.RELEASE);
    EnqueuedGraph graph = enqueue();

    try (Batch batch = fixture.tenant().claim(2);
        Batch ignored = fixture.tenant().claim(1)) {
      assertThat(ignored.tasks()).isEmpty();
      batch.dead(batch.tasks().get(0), "broken");
      batch.release(batch.tasks().get(1));
      batch.settle();
    }
    // The slow one has not ended, so nothing is decided yet: clean-up must not overtake it.
    fixture.assertStates(
        graph, Map.of(NodeState.DEAD, 1, NodeState.ACTIVE, 1, NodeState.BLOCKED, 2));
    assertThat(fixture.run()).containsExactly("slow");
    fixture.awaitSpread();
    assertThat(fixture.run()).containsExactly("clean");
    fixture.assertStates(
        graph, Map.of(NodeState.DEAD, 1, NodeState.CANCELLED, 1, NodeState.DONE, 2));
  }

  @Test
  void aTaskThatIsCancelledWhilePendingIsADeadParent() throws Exception {
    TaskGraph.Node parent = builder.add(task("parent"));
    builder.add(task("child")).dependsOn(parent);
    EnqueuedGraph graph = enqueue();
    assertThat(fixture.tenant().control().cancel(TaskFilter.all().kind("parent"), "not wanted"))
        .isOne();
    fixture.awaitSpread();
    fixture.assertStates(graph, Map.of(NodeState.CANCELLED, 2));
    fixture.assertCounts(Map.of(TaskState.CANCELLED, 2));
  }

  @Test
  void aDeadTaskThatIsRunAgainChangesOnlyItself() throws Exception {
    TaskGraph.Node parent = builder.add(task("parent"));
    builder.add(task("child")).dependsOn(parent);
    EnqueuedGraph graph = enqueue();
    fixture.run(kind -> false);
    fixture.awaitSpread();
    assertThat(fixture.tenant().control().redrive(Redrive.all())).isOne();
    assertThat(fixture.run()).containsExactly("parent");
    assertThat(fixture.run()).isEmpty();
    fixture.assertStates(graph, Map.of(NodeState.DONE, 1, NodeState.CANCELLED, 1));
  }

  @Test
  void aTimeOrDelayCountsOnceTheParentsHaveEnded() throws Exception {
    TaskGraph.Node parent = builder.add(task("parent"));
    builder.add(task("delayed").after(Duration.ofMinutes(5))).dependsOn(parent);
    builder
        .add(task("timed").runAt(Instant.parse("2040-01-01T00:00:00.000001Z")))
        .dependsOn(parent);
    builder.add(task("root").after(Duration.ofHours(1)));
    EnqueuedGraph graph = enqueue();
    fixture.assertCounts(Map.of(TaskState.PENDING, 1, TaskState.WAITING, 1));
    fixture.run();
    fixture.assertCounts(Map.of(TaskState.DONE, 1, TaskState.WAITING, 3));
    assertThat(
            fixture.texts(
                "select kind || ' ' || case kind when 'delayed' then"
                    + " (run_at > now() + interval '4 minutes'"
                    + " and run_at < now() + interval '6 minutes')::text else"
                    + " (run_at at time zone 'UTC')::text end"
                    + " from rota_1.task_wait_1 where kind <> 'root' order by 1"))
        .containsExactly("delayed true", "timed 2040-01-01 00:00:00.000001");
    fixture.assertStates(graph, Map.of(NodeState.DONE, 1, NodeState.ACTIVE, 3));
  }

  @Test
  void aLaterGraphMayDependOnTasksOfAnEarlierOne() throws Exception {
    TaskGraph.Node done = builder.add(task("done"));
    TaskGraph.Node dead = builder.add(task("dead"));
    TaskGraph.Node open = builder.add(task("open").after(Duration.ofHours(1)));
    EnqueuedGraph earlier = enqueue();
    fixture.run(kind -> kind.equals("done"));

    TaskGraph.Builder later = TaskGraph.builder();
    TaskGraph.Node ready = later.add(task("ready")).dependsOnTasks(earlier.taskId(done));
    later.add(task("blocked")).dependsOn(ready).dependsOnTasks(earlier.taskId(open));
    TaskGraph.Node cancelled = later.add(task("cancelled")).dependsOnTasks(earlier.taskId(dead));
    later.add(task("too")).dependsOn(cancelled);
    TaskGraph.Node skipped =
        later
            .add(task("skipped"))
            .dependsOnTasks(earlier.taskId(dead))
            .onDeadParent(DeadParent.SKIP);
    later.add(task("next")).dependsOn(skipped);
    later
        .add(task("released"))
        .dependsOnTasks(earlier.taskId(dead), earlier.taskId(done))
        .onDeadParent(DeadParent.RELEASE);
    EnqueuedGraph graph = fixture.graphs().enqueue(later.build());
    fixture.awaitSpread();

    assertThat(fixture.run()).containsExactly("next", "ready", "released");
    fixture.assertStates(
        graph,
        Map.of(
            NodeState.DONE, 3, NodeState.BLOCKED, 1, NodeState.CANCELLED, 2, NodeState.SKIPPED, 1));
    fixture.tenant().control().cancel(TaskFilter.all().kind("open"), "not wanted");
    fixture.awaitSpread();
    assertThat(fixture.graphs().find(graph.id()).orElseThrow().isFinished()).isTrue();
    assertThat(fixture.graphs().list(1)).extracting(GraphProgress::id).containsExactly(graph.id());
    assertThat(fixture.graphs().list(10))
        .extracting(GraphProgress::id)
        .containsExactly(graph.id(), earlier.id());
  }

  @Test
  void tasksAreListedWithWhatDependsOnThem() {
    TaskGraph.Node a = builder.add(task("a"));
    TaskGraph.Node b = builder.add(task("b")).dependsOn(a);
    TaskGraph.Node c = builder.add(task("c")).dependsOn(a, b);
    EnqueuedGraph graph = enqueue();
    TaskGraph.Builder later = TaskGraph.builder();
    later.add(task("d")).dependsOnTasks(graph.taskId(a));
    enqueue(later);

    assertThat(fixture.run()).containsExactly("a");
    List<Long> ids = graph.taskIds();
    assertThat(fixture.graphs().nodes(graph.id(), 0, 10))
        .as("the kind of a blocked task is at hand, and a task of another graph is none of these")
        .containsExactly(
            new GraphNode(
                graph.taskId(a), NodeState.DONE, Optional.empty(), List.of(ids.get(1), ids.get(2))),
            new GraphNode(graph.taskId(b), NodeState.ACTIVE, Optional.empty(), List.of(ids.get(2))),
            new GraphNode(graph.taskId(c), NodeState.BLOCKED, Optional.of("c"), List.of()));
    assertThat(fixture.graphs().nodes(graph.id(), ids.get(0), 1))
        .extracting(GraphNode::taskId)
        .containsExactly(ids.get(1));
    assertThat(fixture.graphs().nodes(graph.id() + 1_000, 0, 10)).isEmpty();
  }

  /** A graph is found by the range of its ids, in which tasks of others cost time. */
  @ParameterizedTest
  @ValueSource(ints = {500, 2_000})
  @Tag("exhaustive")
  void theIdsOfAGraphAreCloseTogether(int tasks) {
    fixture.tenant().enqueueAll(Collections.nCopies(600, task("earlier")));
    Tenant elsewhere = fixture.another().tenants().get("acme");
    elsewhere.enqueueAll(Collections.nCopies(20_000, task("meanwhile")));
    IntStream.range(0, tasks).forEach(i -> builder.add(task("node")));
    EnqueuedGraph graph = enqueue();
    long last = graph.taskIds().get(tasks - 1);
    assertThat(last - graph.id()).isBetween((long) tasks, tasks + 3_000L);
  }

  @Test
  @Tag("exhaustive")
  void largePayloadsGoInStatementsOfABoundedSize() {
    Faults faults = new Faults();
    Rota large = fixture.observed(faults, settings -> settings.payloadLimit(1 << 20));
    String payload = "x".repeat(1 << 20);
    for (int i = 0; i < 9; i++) {
      TaskGraph.Node root = builder.add(NewTask.of("root", payload));
      builder.add(NewTask.of("child", payload)).dependsOn(root);
    }
    EnqueuedGraph graph = large.tenants().get("acme").graphs().enqueue(builder.build());
    fixture.assertStates(graph, Map.of(NodeState.ACTIVE, 9, NodeState.BLOCKED, 9));
    assertThat(faults.count("hold tasks")).isEqualTo(2);
    assertThat(faults.count("enqueue marked") + faults.count("enqueue delayed")).isEqualTo(2);
  }

  @Test
  void unknownParentsAreNamed() {
    EnqueuedGraph earlier = enqueue(TaskGraph.builder());
    long plain = fixture.tenant().enqueue(task("plain"));
    builder.add(task("child")).dependsOnTasks(plain, -5, earlier.id());
    assertThatThrownBy(this::enqueue)
        .isInstanceOfSatisfying(
            UnknownParentException.class,
            e -> assertThat(e.ids()).containsExactlyInAnyOrder(-5L, earlier.id(), plain))
        .hasMessageContaining("-5")
        .hasMessageContaining("tenant 'acme' (1)");
    assertThat(fixture.graphs().list(10)).hasSize(1);
  }

  @Test
  void aCallersTransactionEnqueuesAllOrNothing() throws Exception {
    TaskGraph.Node a = builder.add(task("a"));
    builder.add(task("b")).dependsOn(a);
    TaskGraph graph = builder.build();
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      EnqueuedGraph undone = fixture.graphs().enqueue(connection, graph);
      connection.rollback();
      assertThat(fixture.graphs().find(undone.id())).isEmpty();
      assertThat(fixture.run()).isEmpty();
      fixture.graphs().enqueue(DSL.using(connection), graph);
      assertThat(fixture.run()).isEmpty();
      connection.commit();
    }
    assertThat(fixture.run()).containsExactly("a");
    assertThat(fixture.run()).containsExactly("b");
    for (String table : List.of("node", "graph")) {
      assertThat(fixture.number("select count(*) from rota_1.task_" + table + "_1"))
          .as(table)
          .isEqualTo(table.equals("node") ? 2 : 1);
    }
  }

  @Test
  void whatCannotBeATaskOfAGraphIsRefusedByItsPlace() {
    builder.add(task("fine"));
    builder.add(task("no kind"));
    assertThatThrownBy(this::enqueue)
        .isInstanceOf(InvalidTaskException.class)
        .hasMessageContaining("task 1");
    TaskGraph.Builder keyed = TaskGraph.builder();
    keyed.add(task("k").withKey("once"));
    assertThatThrownBy(() -> enqueue(keyed))
        .isInstanceOf(InvalidTaskException.class)
        .hasMessageContaining("task 0 of the graph has a key");
    fixture.rota().tenants().close("acme");
    assertThatThrownBy(() -> enqueue(TaskGraph.builder()))
        .isInstanceOf(TenantClosedException.class);
  }

  @Test
  void tenantsWithoutGraphsAreReadWithoutMakingTables() throws Exception {
    assertThat(fixture.graphs().find(1)).isEmpty();
    assertThat(fixture.graphs().list(5)).isEmpty();
    assertThat(fixture.graphs().nodes(1, 0, 5)).isEmpty();
    assertThatThrownBy(() -> fixture.graphs().cancel(1, "no"))
        .isInstanceOf(UnknownGraphException.class)
        .hasMessageContaining("tenant 'acme' (1) has no graph 1");
    assertThatThrownBy(() -> fixture.graphs().list(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> fixture.graphs().nodes(1, 0, 10_001))
        .isInstanceOf(IllegalArgumentException.class);
    fixture.tenant().enqueue(task("plain"));
    fixture.run();
    assertThat(fixture.number("select count(*) from pg_class where relname like '%node_1'"))
        .isZero();
  }

  @Test
  void anEmptyGraphIsFinished() {
    EnqueuedGraph graph = enqueue(TaskGraph.builder());
    GraphProgress progress = fixture.graphs().find(graph.id()).orElseThrow();
    assertThat(progress.isFinished()).isTrue();
    assertThat(progress.tasks()).isZero();
  }

  @Test
  void cancellingAGraphLeavesOnlyWhatRuns() throws Exception {
    TaskGraph.Node runs = builder.add(task("runs"));
    TaskGraph.Node pending = builder.add(task("pending"));
    builder.add(task("waiting").after(Duration.ofHours(1)));
    builder.add(task("blocked")).dependsOn(runs, pending).onDeadParent(DeadParent.RELEASE);
    builder.add(task("too")).dependsOn(runs).onDeadParent(DeadParent.SKIP);
    EnqueuedGraph graph = enqueue();
    long plain = fixture.tenant().enqueue(task("plain"));
    TaskGraph.Builder later = TaskGraph.builder();
    later.add(task("later")).dependsOnTasks(graph.taskId(pending));
    EnqueuedGraph other = enqueue(later);

    try (Batch batch = fixture.tenant().claim(1)) {
      assertThat(batch.tasks()).extracting(Task::kind).containsExactly("runs");
      assertThat(fixture.graphs().cancel(graph.id(), "not wanted")).isEqualTo(4);
      fixture.assertStates(graph, Map.of(NodeState.CANCELLED, 4, NodeState.ACTIVE, 1));
      assertThat(batch.settle()).isEqualTo(new SettleResult(1, 0));
    }
    fixture.awaitSpread();
    fixture.assertStates(graph, Map.of(NodeState.CANCELLED, 4, NodeState.DONE, 1));
    fixture.assertStates(other, Map.of(NodeState.CANCELLED, 1));
    assertThat(fixture.reasons()).filteredOn(text -> text.equals("not wanted")).hasSize(4);
    assertThat(fixture.graphs().cancel(graph.id(), "again")).isZero();
    try (Batch rest = fixture.tenant().claim(10)) {
      assertThat(rest.tasks()).extracting(Task::id).containsExactly(plain);
    }
  }

  private EnqueuedGraph enqueue() {
    return enqueue(builder);
  }

  private EnqueuedGraph enqueue(TaskGraph.Builder filled) {
    return fixture.graphs().enqueue(filled.build());
  }

  private static NewTask task(String kind) {
    return NewTask.of(kind, "payload of " + kind).withParent(77);
  }
}
