package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.rota.Batch.SettleResult;
import dev.rota.testing.Await;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests tasks that run too long: listing, requeueing and interrupting them. */
@RotaTest
@PostgresVersions({15, 18})
@Timeout(60)
class HungTasksTest {

  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration SHORT = Duration.ofMillis(20);

  @Given private RotaFixture fixture;
  @Given private Rota rota;
  @Given private Tenant acme;

  @Test
  void tasksThatRunTooLongAreTakenBackAndTheirLateOutcomeIsDropped() throws SQLException {
    List<Long> ids = enqueue(3);
    Batch hung = acme.claim(2);
    age(hung, "2 hours");
    Batch fresh = acme.claim(1);
    assertThat(acme.control().longRunning(HOUR))
        .extracting(Attempt::taskId)
        .containsExactlyElementsOf(ids.subList(0, 2));
    assertThat(acme.control().longRunning(Duration.ZERO)).hasSize(3);
    assertThat(acme.control().longRunning(Duration.ofHours(3))).isEmpty();

    assertThat(acme.control().requeueRunning(HOUR)).isEqualTo(2);
    assertThat(acme.control().longRunning(HOUR)).isEmpty();
    assertThat(acme.control().requeueRunning(HOUR)).isZero();
    assertThat(hung.settle()).isEqualTo(new SettleResult(0, 2));
    assertThat(fresh.settle()).isEqualTo(new SettleResult(1, 0));
    try (Batch again = acme.claim(10)) {
      assertThat(again.tasks()).extracting(Task::attempt).containsExactly(2, 2);
      again.settle();
    }
    assertThat(acme.history().scanAttempts(ids.get(0)))
        .extracting(Attempt::state)
        .containsExactly(TaskState.LOST, TaskState.DONE);
    assertThat(acme.history().scanAttempts(ids.get(0)).get(0).error())
        .contains("taken back: it ran longer than PT1H");
  }

  @Test
  void negativeDurationsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> acme.control().longRunning(Duration.ofSeconds(-1)))
        .withMessageContaining("longerThan is PT-1S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> acme.control().requeueRunning(Duration.ofSeconds(-1)));
  }

  @Test
  void aHandlerIsInterruptedAtItsTimeLimit() throws Exception {
    long id = enqueue(1).get(0);
    try (Worker worker =
        rota.worker()
            .retry(RetryPolicy.never())
            .timeLimit("k", SHORT)
            .handle("k", task -> hang())
            .start()) {
      Await.until("dead", () -> worker.statistics().dead(), 1);
    }
    assertThat(acme.history().scanAttempts(id).get(0).error())
        .contains(
            "java.util.concurrent.TimeoutException: the handler was interrupted at its time limit"
                + " of PT0.02S\ncaused by java.lang.InterruptedException");
  }

  @Test
  void aBatchHandlerIsInterruptedAsAWhole() throws Exception {
    enqueue(5);
    try (Worker worker =
        rota.worker()
            .retry(RetryPolicy.never())
            .timeLimit("k", SHORT)
            .handleBatch("k", tasks -> hang())
            .start()) {
      Await.until("dead", () -> worker.statistics().dead(), 5);
    }
  }

  @Test
  void inATransactionTheShorterLimitHolds() throws Exception {
    long id = enqueue(1).get(0);
    try (Worker worker =
        rota.worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .retry(RetryPolicy.never())
            .timeLimit("k", SHORT)
            .handleInTransaction("k", (task, connection) -> hang())
            .start()) {
      Await.until("dead", () -> worker.statistics().dead(), 1);
    }
    assertThat(acme.history().scanAttempts(id).get(0).error().orElseThrow())
        .contains("time limit of PT0.02S");
  }

  @Test
  void theInterruptReachesNoOtherHandler() throws Exception {
    enqueue(1);
    AtomicInteger interrupted = new AtomicInteger();
    AtomicInteger calm = new AtomicInteger();
    try (Worker worker =
        rota.worker()
            .concurrency(1)
            .timeLimit("k", SHORT)
            .handle(
                "k",
                task -> {
                  // Goes on in spite of the interrupt, and leaves the flag set.
                  while (!Thread.currentThread().isInterrupted()) {
                    Thread.onSpinWait();
                  }
                  interrupted.incrementAndGet();
                })
            .handle("calm", task -> calm.addAndGet(Thread.interrupted() ? 1_000 : 1))
            .start()) {
      Await.until("the first is done", () -> worker.statistics().done(), 1);
      acme.enqueueAll(Collections.nCopies(50, NewTask.of("calm", "{}")));
      Await.until("all are done", () -> worker.statistics().done(), 51);
    }
    assertThat(interrupted).hasValue(1);
    assertThat(calm).hasValue(50);
  }

  @Test
  void inATransactionAHandlerMayLeaveItsInterruptSet() throws Exception {
    NewTask leavesIt = NewTask.of("k", "{}");
    NewTask calmTask = NewTask.of("calm", "{}");
    acme.enqueueAll(List.of(leavesIt, calmTask, leavesIt));
    AtomicInteger calm = new AtomicInteger();
    try (Worker worker =
        rota.worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .concurrency(1)
            .handleInTransaction("k", (task, connection) -> Thread.currentThread().interrupt())
            .handleInTransaction(
                "calm", (task, connection) -> calm.addAndGet(Thread.interrupted() ? 1_000 : 1))
            .start()) {
      Await.until("its transaction is done", () -> worker.statistics().done(), 3);
      acme.enqueueAll(Collections.nCopies(50, calmTask));
      Await.until("all are done", () -> worker.statistics().done(), 53);
    }
    assertThat(calm).hasValue(51);
  }

  @Test
  void otherKindsHaveNoLimit() throws Exception {
    acme.enqueue(NewTask.of("patient", "{}"));
    enqueue(1);
    CountDownLatch limited = new CountDownLatch(1);
    try (Worker worker =
        rota.worker()
            .concurrency(2)
            .retry(RetryPolicy.never())
            .timeLimit("k", SHORT)
            .handle("k", task -> hang())
            .handle("patient", task -> assertThat(limited.await(30, TimeUnit.SECONDS)).isTrue())
            .start()) {
      Await.until("the limited one is dead", () -> worker.statistics().dead(), 1);
      limited.countDown();
      Await.until("the patient one is done", () -> worker.statistics().done(), 1);
    }
  }

  @Test
  void limitsHaveBounds() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rota.worker().timeLimit("k", Duration.ZERO))
        .withMessageContaining("timeLimit is PT0S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rota.worker().timeLimit("a b", HOUR))
        .withMessageContaining("a b");
    Worker.Builder incomplete = rota.worker().handle("k", task -> {}).timeLimit("other", HOUR);
    assertThatIllegalStateException()
        .isThrownBy(incomplete::start)
        .withMessageContaining(
            "kind 'other' has a retry policy, a time limit or a concurrency and no handler");
  }

  /** Longer than any limit of these tests. */
  private static void hang() throws InterruptedException {
    boolean unused = new CountDownLatch(1).await(30, TimeUnit.SECONDS);
  }

  private List<Long> enqueue(int count) {
    return acme.enqueueAll(Collections.nCopies(count, NewTask.of("k", "{}")));
  }

  private void age(Batch batch, String interval) throws SQLException {
    fixture.execute(
        "update rota.task_batch_1 set claimed_at = now() - interval '%s' where id = %d"
            .formatted(interval, batch.id()));
  }
}
