package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.graph.EnqueuedGraph;
import dev.rota.graph.NodeState;
import dev.rota.graph.TaskGraph;
import dev.rota.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests graphs in each mode of delivery. */
@RotaTest
@PostgresVersions(18)
class GraphDeliveryTest {

  private final List<String> ran = new CopyOnWriteArrayList<>();
  @Given private GraphFixture fixture;
  private EnqueuedGraph graph;

  @BeforeEach
  void open() {
    TaskGraph.Builder builder = TaskGraph.builder();
    TaskGraph.Node a = builder.add(task("a"));
    TaskGraph.Node b = builder.add(task("b")).dependsOn(a);
    TaskGraph.Node c = builder.add(task("c")).dependsOn(a);
    builder.add(task("d")).dependsOn(b, c);
    graph = fixture.graphs().enqueue(builder.build());
  }

  @Test
  void aWorkerRunsOneAfterTheOther() throws Exception {
    try (Worker worker =
        fixture.rota().worker().handle("k", task -> ran.add(task.payload())).start()) {
      awaitDone(worker);
    }
    assertOrder();
  }

  @Test
  void whatIsFiredAndForgottenCountsAsDoneWhenItIsClaimed() throws Exception {
    try (Worker worker =
        fixture
            .rota()
            .worker()
            .delivery(DeliveryMode.FIRE_AND_FORGET)
            .handle(
                "k",
                task -> {
                  ran.add(task.payload());
                  throw new IllegalStateException("nobody cares");
                })
            .start()) {
      Await.until("all ran", () -> ran.size(), 4);
      worker.close();
    }
    fixture.assertStates(graph, Map.of(NodeState.DONE, 4));
    fixture.assertCounts(Map.of(TaskState.DONE, 4));
  }

  @Test
  void aHandlersTransactionReleasesTheChildrenIfItCommits() throws Exception {
    AtomicInteger failures = new AtomicInteger();
    RetryPolicy atOnce = RetryPolicy.fixed(3, Duration.ZERO);
    try (Worker worker =
        fixture
            .rota()
            .worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .retry(atOnce)
            .handleInTransaction(
                "k",
                (task, connection) -> {
                  if (task.payload().equals("a") && failures.incrementAndGet() == 1) {
                    throw new IllegalStateException("not yet");
                  }
                  ran.add(task.payload());
                })
            .start()) {
      Await.until("a failed once", () -> worker.statistics().failed(), 1);
      fixture.assertStates(graph, Map.of(NodeState.ACTIVE, 1, NodeState.BLOCKED, 3));
      // No daemon runs here: what it would promote is moved by hand.
      fixture.execute(
          "with due as (delete from rota_1.task_wait_1 returning *) insert into"
              + " rota_1.task_init_1_0 (id, created_at, attempt, kind, payload, traits)"
              + " select id, created_at, attempt, kind, payload, traits from due"
              + " where (select pg_stat_force_next_flush()) is not null");
      awaitDone(worker);
    }
    assertOrder();
  }

  private void awaitDone(Worker worker) throws Exception {
    Await.until("all done", () -> worker.statistics().done(), 4);
    fixture.assertStates(graph, Map.of(NodeState.DONE, 4));
  }

  private void assertOrder() {
    assertThat(ran).hasSize(4).startsWith("a").endsWith("d").contains("b", "c");
  }

  private static NewTask task(String payload) {
    return NewTask.of("k", payload);
  }
}
