package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.rota.testing.Await;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests a kind with a concurrency of its own, beside others. */
@RotaTest
class KindConcurrencyTest {

  private static final int BACKLOG = 2_000;

  private final CountDownLatch release = new CountDownLatch(1);
  private final AtomicInteger running = new AtomicInteger();
  private final Set<Integer> seen = ConcurrentHashMap.newKeySet();
  @Given private RotaFixture fixture;
  private Rota rota;
  private Tenant acme;

  @BeforeEach
  void open() {
    rota = fixture.another(builder -> builder.doorbell(false).poolSize(12));
    acme = rota.tenants().register("acme");
  }

  @AfterEach
  void close() {
    release.countDown();
  }

  /** The limited kind is full, with a backlog in front of the others in the ring. */
  @ParameterizedTest
  @EnumSource(names = {"LEASED", "FIRE_AND_FORGET"})
  @Tag("exhaustive")
  void aFullKindHoldsUpNobody(DeliveryMode mode) throws Exception {
    enqueue("slow", BACKLOG);
    enqueue("quick", BACKLOG);
    AtomicLong quick = new AtomicLong();
    try (Worker worker =
        rota.worker()
            .delivery(mode)
            .handle("slow", task -> hold())
            .handle("quick", task -> quick.incrementAndGet())
            .concurrency(8)
            .concurrency("slow", 2)
            .start()) {
      Await.until("two slow ones run", () -> running.get(), 2);
      Await.until("all quick ones ran", () -> quick.get(), BACKLOG);
      // What was not claimed is left to other workers, and takes neither memory nor a lease.
      assertThat(acme.history().scanStates().get(TaskState.PENDING)).isGreaterThan(BACKLOG - 200);
      enqueue("quick", 10);
      Await.until("more quick ones ran", () -> quick.get() == BACKLOG + 10);
      release.countDown();
      Await.until("all done", () -> worker.statistics().done() == 2 * BACKLOG + 10);
    }
    assertThat(seen).containsExactlyInAnyOrder(1, 2);
  }

  /** Here a transaction holds its tenant for as long as its handlers run. */
  @Test
  void inATransactionAFullKindHoldsUpNoOtherTenant() throws Exception {
    List<Tenant> tenants =
        rota.tenants().registerAll(List.of("a", "b", "c", "d")).stream().toList();
    tenants.forEach(tenant -> tenant.enqueue(NewTask.of("slow", "{}")));
    enqueue("quick", 300);
    AtomicLong quick = new AtomicLong();
    try (Worker worker =
        rota.worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .handleInTransaction("slow", (task, connection) -> hold())
            .handleInTransaction("quick", (task, connection) -> quick.incrementAndGet())
            .concurrency(4)
            .concurrency("slow", 2)
            .start()) {
      Await.until("two slow ones run", () -> running.get(), 2);
      Await.until("all quick ones ran", () -> quick.get(), 300);
      release.countDown();
      Await.until("all done", () -> worker.statistics().done(), 304);
    }
    assertThat(seen).containsExactlyInAnyOrder(1, 2);
  }

  /** Each task of the endless kind enqueues another one, so that some always wait. */
  @Test
  void aBacklogOfTheOthersDoesNotStarveALimitedKind() throws Exception {
    enqueue("endless", BACKLOG);
    enqueue("rare", 20);
    AtomicLong endless = new AtomicLong();
    AtomicLong rare = new AtomicLong();
    try (Worker worker =
        rota.worker()
            .concurrency(1)
            .concurrency("rare", 1)
            .handle(
                "endless",
                task -> {
                  endless.incrementAndGet();
                  var unused = acme.enqueueAsync(NewTask.of("endless", "{}"));
                })
            .handle("rare", task -> rare.incrementAndGet())
            .start()) {
      Await.until("the rare ones ran", () -> rare.get(), 20);
      assertThat(worker.statistics().claimed()).isGreaterThan(20);
      long before = endless.get();
      Await.until("the endless ones go on", () -> endless.get() > before);
    }
  }

  /** The one handler that the worker may run at a time is taken by a kind without a limit. */
  @Test
  void theConcurrencyOfTheWorkerHoldsForAllTogether() throws Exception {
    enqueue("a", 50);
    enqueue("b", 50);
    enqueue("c", 50);
    ExecutorService executor = Executors.newCachedThreadPool();
    try (Worker worker =
        rota.worker()
            .executor(executor)
            .concurrency(3)
            .concurrency("a", 2)
            .concurrency("b", 100)
            .handle("a", task -> hold())
            .handle("b", task -> hold())
            .handle("c", task -> hold())
            .start()) {
      Await.until("three run", () -> running.get(), 3);
      release.countDown();
      Await.until("all done", () -> worker.statistics().done(), 150);
    } finally {
      executor.shutdownNow();
    }
    assertThat(seen).containsExactlyInAnyOrder(1, 2, 3);
  }

  /** While two hold their threads, the others have to find the room that is left. */
  @Test
  void whatEndsMakesRoomAtOnce() throws Exception {
    AtomicLong second = new AtomicLong();
    enqueue("slow", 2);
    try (Worker worker =
        rota.worker()
            .concurrency(4)
            .concurrency("chain", 1)
            .handle("slow", task -> hold())
            .handle("chain", task -> second.incrementAndGet())
            .start()) {
      Await.until("slow ones run", () -> running.get(), 2);
      enqueue("chain", 500);
      Await.until("the chain is worked off", () -> worker.statistics().done(), 500);
      assertThat(second).hasValue(500);
      release.countDown();
    }
  }

  @Test
  void aCallOfABatchHandlerCountsAsOne() throws Exception {
    enqueue("many", 300);
    try (Worker worker =
        rota.worker()
            .concurrency(6)
            .batchSize(10)
            .concurrency("many", 2)
            .handleBatch("many", tasks -> hold())
            .start()) {
      Await.until("two calls", () -> running.get(), 2);
      release.countDown();
      Await.until("all done", () -> worker.statistics().done(), 300);
    }
    assertThat(seen).containsExactlyInAnyOrder(1, 2);
  }

  @Test
  void closingHandsBackWhatDidNotBegin() throws Exception {
    enqueue("slow", 100);
    enqueue("other", 100);
    Worker worker =
        rota.worker()
            .concurrency(3)
            .concurrency("slow", 1)
            .handle("slow", task -> hold())
            .handle("other", task -> hold())
            .start();
    Await.until("three run", () -> running.get(), 3);
    Await.until("more are held", () -> worker.statistics().claimed() > 3);
    Thread closing = new Thread(worker::close);
    closing.start();
    Await.until("handed back", () -> acme.history().scanStates().get(TaskState.PENDING), 197);
    release.countDown();
    closing.join();
    assertThat(worker.statistics().done()).isEqualTo(3);
    assertThat(acme.history().scanStates()).containsEntry(TaskState.RUNNING, 0L);
    assertThat(acme.claim(1_000).tasks()).hasSize(197).extracting(Task::attempt).containsOnly(1);
  }

  @Test
  void failedTasksMakeRoomToo() throws Exception {
    enqueue("broken", 30);
    try (Worker worker =
        rota.worker()
            .retry(RetryPolicy.never())
            .concurrency("broken", 1)
            .handle(
                "broken",
                task -> {
                  throw new IllegalStateException("broken");
                })
            .start()) {
      Await.until("all dead", () -> worker.statistics().dead(), 30);
    }
  }

  @Test
  void aConcurrencyThatMakesNoSenseIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rota.worker().concurrency("k", 0))
        .withMessageContaining("concurrency");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rota.worker().concurrency("not a kind", 1))
        .withMessageContaining("'not a kind' is malformed");
    Worker.Builder unknown = rota.worker().handle("k", task -> {}).concurrency("other", 1);
    assertThatIllegalStateException()
        .isThrownBy(unknown::start)
        .withMessageContaining("kind 'other' has")
        .withMessageContaining("a concurrency and no handler");
  }

  private void hold() throws InterruptedException {
    seen.add(running.incrementAndGet());
    assertThat(release.await(40, TimeUnit.SECONDS)).isTrue();
    running.decrementAndGet();
  }

  private void enqueue(String kind, int count) {
    acme.enqueueAll(Collections.nCopies(count, NewTask.of(kind, "{}")));
  }
}
