package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that a closed worker finishes running handlers and hands back the rest. */
@RotaTest
class WorkerCloseTest {

  private static final int TASKS = 50;

  private final CountDownLatch release = new CountDownLatch(1);
  private final Queue<Long> begun = new ConcurrentLinkedQueue<>();
  private final Queue<Long> ended = new ConcurrentLinkedQueue<>();
  @Given private RotaFixture fixture;
  private Rota rota;
  private Tenant acme;

  @BeforeEach
  void open() {
    RetryPolicy retry = RetryPolicy.of(3, attempt -> Duration.ofHours(1));
    rota = fixture.another(builder -> builder.retry(retry));
    acme = rota.tenants().register("acme");
    acme.enqueueAll(Collections.nCopies(TASKS, NewTask.of("k", "{}")));
  }

  @AfterEach
  void close() {
    release.countDown();
  }

  @Test
  void whatRunsIsFinishedAndWhatDidNotBeginIsHandedBack() throws Exception {
    Worker worker = blockedWorker();
    CompletableFuture<Void> closing = InBackground.run(worker::close);
    CompletableFuture<Void> closingToo = InBackground.run(worker::close);
    awaitCount(TaskState.PENDING, TASKS - 2);
    assertThat(closing).isNotDone();
    release.countDown();
    closing.get(60, TimeUnit.SECONDS);
    closingToo.get(60, TimeUnit.SECONDS);
    worker.close();
    assertThat(worker.close(Duration.ZERO)).isTrue();

    assertThat(begun).hasSize(2);
    assertThat(worker.statistics().done()).isEqualTo(2);
    assertCounts(TaskState.DONE, 2);
    assertThat(acme.claim(100).tasks()).extracting(Task::attempt).containsOnly(1).hasSize(48);
  }

  @Test
  void handlersThatRunTooLongAreInterrupted() throws Exception {
    Worker worker = blockedWorker();
    assertThat(worker.close(Duration.ofMillis(50))).isFalse();
    assertThat(worker.close(Duration.ofMillis(50))).isFalse();
    assertThat(worker.statistics().failed()).isEqualTo(2);
    assertCounts(TaskState.FAILED, 2);
    assertCounts(TaskState.WAITING, 2);
    assertCounts(TaskState.PENDING, TASKS - 2);
    assertThat(acme.history().scanAttempts(begun.element()).get(0).error())
        .contains("java.lang.InterruptedException");
  }

  @Test
  void handlersThatIgnoreTheInterruptAreGivenUp() throws Exception {
    Worker worker =
        rota.worker()
            .concurrency(2)
            .batchSize(1)
            .handle(
                "k",
                task -> {
                  begun.add(task.id());
                  while (release.getCount() > 0) {
                    LockSupport.parkNanos(1_000_000);
                  }
                  ended.add(task.id());
                })
            .start();
    Await.until("two run", () -> begun.size(), 2);
    assertThat(worker.close(Duration.ofMillis(50))).isFalse();
    assertCounts(TaskState.FAILED, 2);
    assertThat(acme.history().scanAttempts(begun.element()).get(0).error().orElseThrow())
        .contains("the handler did not end in time");
    release.countDown();
    Await.until("both ended at last", () -> ended.size(), 2);
    assertThat(worker.statistics().failed()).isEqualTo(2);
    assertThat(worker.statistics().done()).isZero();
    assertCounts(TaskState.DONE, 0);
  }

  @Test
  void aLaterCallerWithLessPatienceShortensTheWait() throws Exception {
    Worker worker = blockedWorker();
    CompletableFuture<Void> closing = InBackground.run(rota::close);
    awaitCount(TaskState.PENDING, TASKS - 2);
    assertThat(closing).isNotDone();
    CompletableFuture<Boolean> closingToo =
        InBackground.supply(() -> worker.close(Duration.ofMillis(50)));
    assertThat(closingToo.get(60, TimeUnit.SECONDS)).isFalse();
    closing.get(60, TimeUnit.SECONDS);
    assertThat(worker.statistics().failed()).isEqualTo(2);
    assertCounts(TaskState.FAILED, 2);
  }

  /** It is told to end while it blocks, and must not pause after that. */
  @Test
  void aLookThatBlocksDoesNotMissTheEnd() throws Exception {
    try (Faults faults = new Faults();
        Rota observed = fixture.observed(faults)) {
      ScriptedFault look = faults.before("discover").hold();
      Worker worker =
          observed.worker().handle("k", task -> {}).pollInterval(Duration.ofMinutes(3)).start();
      look.awaitReached();
      Thread closing = new Thread(worker::close, "closing");
      closing.start();
      Await.until("it waits for the look", () -> waitsIn(closing, "stopLooking"));
      look.release();
      closing.join(Await.USUAL.toMillis());
      assertThat(closing.isAlive()).isFalse();
    }
  }

  private static boolean waitsIn(Thread thread, String method) {
    return thread.getState() == Thread.State.WAITING
        && Stream.of(thread.getStackTrace()).anyMatch(at -> at.getMethodName().equals(method));
  }

  @Test
  void aHandlerCannotCloseWhatWaitsForIt() throws Exception {
    CompletableFuture<Worker> leased = new CompletableFuture<>();
    CompletableFuture<Worker> transactional = new CompletableFuture<>();
    List<Long> ids = new ArrayList<>();
    for (String kind : List.of("worker", "limited", "rota", "transaction")) {
      ids.add(acme.enqueue(NewTask.of(kind, "{}")));
    }
    leased.complete(
        rota.worker()
            .handle("worker", task -> leased.join().close())
            .handle("limited", task -> leased.join().close(Duration.ofHours(1)))
            .handle("rota", task -> rota.close())
            .start());
    transactional.complete(
        rota.worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .handleInTransaction("transaction", (task, unused) -> transactional.join().close())
            .start());
    Await.until("all failed", () -> leased.join().statistics().failed(), 3);
    Await.until("failed", () -> transactional.join().statistics().failed(), 1);
    for (long id : ids) {
      assertThat(acme.history().scanAttempts(id).get(0).error().orElseThrow())
          .contains("IllegalStateException", "call it in another thread");
    }
    assertThat(leased.join().close(Duration.ofMinutes(1))).isTrue();
    assertThat(transactional.join().close(Duration.ofMinutes(1))).isTrue();
  }

  @Test
  void closingARotaClosesItsWorkersAndSignsOff() throws Exception {
    Worker worker = blockedWorker();
    assertThat(fixture.number("select count(*) from rota.worker")).isEqualTo(1);
    CompletableFuture<Void> closing = InBackground.run(rota::close);
    awaitCount(TaskState.PENDING, TASKS - 2);
    release.countDown();
    closing.get(60, TimeUnit.SECONDS);
    assertThat(worker.statistics().done()).isEqualTo(2);
    assertThat(fixture.number("select count(*) from rota.worker")).isZero();
    assertThat(fixture.number("select count(*) from rota.task_batch where ended = 0")).isZero();
  }

  @Test
  void closingARotaHandsBackBatchesThatAreHeld() throws Exception {
    assertThat(acme.claim(10).tasks()).hasSize(10);
    assertThat(acme.claim(5).settle().settled()).isEqualTo(5);
    rota.close();
    assertCounts(TaskState.PENDING, TASKS - 5);
    assertThat(fixture.number("select max(attempt) from rota_1.task_init_1_0")).isZero();
    assertThat(fixture.number("select count(*) from rota.worker")).isZero();
  }

  /** Two of its handlers run, and wait. */
  private Worker blockedWorker() throws Exception {
    Worker worker =
        rota.worker()
            .concurrency(2)
            .batchSize(TASKS)
            .handle(
                "k",
                task -> {
                  begun.add(task.id());
                  release.await();
                })
            .start();
    Await.until("two run", () -> begun.size(), 2);
    return worker;
  }

  /** Read by another Rota: this one may be closed. */
  private long count(TaskState state) {
    Map<TaskState, Long> counts = fixture.rota().tenants().get("acme").history().scanStates();
    return counts.getOrDefault(state, 0L);
  }

  private void awaitCount(TaskState state, long expected) throws Exception {
    Await.until(expected + " " + state, () -> count(state) == expected);
  }

  private void assertCounts(TaskState state, long expected) {
    assertThat(count(state)).as(state.toString()).isEqualTo(expected);
  }
}
