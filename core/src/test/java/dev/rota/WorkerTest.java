package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.testing.Await;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests handlers and the outcomes of their tasks. */
@RotaTest
class WorkerTest {

  @Given private RotaFixture fixture;
  private Rota rota;
  private Tenant acme;

  @BeforeEach
  void open() {
    rota = fixture.another(builder -> builder.doorbell(false));
    acme = rota.tenants().register("acme");
  }

  @Test
  void handlersGetTheTasksOfTheirKind() throws Exception {
    Queue<Task> singles = new ConcurrentLinkedQueue<>();
    Queue<List<Task>> batches = new ConcurrentLinkedQueue<>();
    List<Long> one = enqueue("one", 20);
    List<Long> many = enqueue("many", 30);
    try (Worker worker =
        rota.worker().handle("one", singles::add).handleBatch("many", batches::add).start()) {
      Await.until("all done", () -> worker.statistics().done(), 50);
    }
    assertThat(singles).extracting(Task::id).containsExactlyInAnyOrderElementsOf(one);
    assertThat(singles).extracting(Task::kind).containsOnly("one");
    assertThat(batches.stream().flatMap(List::stream))
        .extracting(Task::id)
        .containsExactlyInAnyOrderElementsOf(many);
    assertThat(batches).hasSizeLessThan(30);
    assertCounts(Map.of(TaskState.DONE, 50L));
  }

  @Test
  void unknownKindsStayPendingAndBlockNothing() throws Exception {
    enqueue("unknown", 3_000);
    enqueue("known", 10);
    enqueue("unknown", 3_000);
    enqueue("known", 10);
    try (Worker worker = rota.worker().batchSize(5).handle("known", task -> {}).start()) {
      Await.until("known ones done", () -> worker.statistics().done(), 20);
    }
    assertCounts(Map.of(TaskState.DONE, 20L, TaskState.PENDING, 6_000L));
    assertThat(acme.claim(1).tasks()).extracting(Task::attempt).containsExactly(1);
  }

  @Test
  void noMoreHandlersRunAtATimeThanAllowed() throws Exception {
    enqueue("k", 100);
    AtomicInteger running = new AtomicInteger();
    Set<Integer> seen = ConcurrentHashMap.newKeySet();
    CountDownLatch release = new CountDownLatch(1);
    try (Worker worker =
        rota.worker()
            .concurrency(3)
            .handle(
                "k",
                task -> {
                  seen.add(running.incrementAndGet());
                  release.await();
                  running.decrementAndGet();
                })
            .start()) {
      Await.until("three run", () -> running.get(), 3);
      enqueue("k", 100);
      release.countDown();
      Await.until("all done", () -> worker.statistics().done(), 200);
    }
    assertThat(seen).containsExactlyInAnyOrder(1, 2, 3);
  }

  @Test
  void aWorkerNeedsAHandlerThatFits() {
    assertThatThrownBy(() -> rota.worker().start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("needs a handler");
    assertThatThrownBy(() -> rota.worker().handle("not a kind", task -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'not a kind' is malformed");
    assertThatThrownBy(() -> rota.worker().handle("k", t -> {}).handleBatch("k", t -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has a handler already");
    assertThatThrownBy(() -> rota.worker().handleInTransaction("k", (t, c) -> {}).start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("needs delivery(TRANSACTIONAL)");
  }

  private List<Long> enqueue(String kind, int count) {
    return acme.enqueueAll(Collections.nCopies(count, NewTask.of(kind, "{}")));
  }

  private void assertCounts(Map<TaskState, Long> expected) {
    Map<TaskState, Long> counts = acme.history().scanStates();
    counts.values().removeIf(count -> count == 0);
    assertThat(counts).isEqualTo(expected);
  }
}
