package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.control.TaskFilter;
import dev.rota.metering.Usage;
import dev.rota.metering.UsageVerification;
import dev.rota.metering.UsageVerification.Counts;
import dev.rota.testing.Await;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests what counts as usage in each way of delivery. The usage of each test is that of the history
 * it leaves.
 */
@RotaTest
@PostgresVersions({15, 18})
class UsageTest {

  private static final Instant FOREVER = Instant.parse("9999-01-01T00:00:00Z");

  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  @Given private Tenant other;

  @AfterEach
  void verify() {
    UsageVerification result = fixture.rota().metering().verify(Instant.EPOCH, FOREVER);
    assertThat(result.differences()).isEmpty();
    assertThat(result.isExact()).isTrue();
    assertThat(result.skipped()).isZero();
  }

  @Test
  void everyAttemptOfABatchCountsButThoseThatDidNotBegin() {
    enqueue(5);
    Batch batch = acme.claim(5);
    batch.fail(batch.tasks().get(0), "again", Duration.ofHours(1));
    batch.dead(batch.tasks().get(1), "no more");
    batch.release(batch.tasks().get(2));
    batch.settle();
    assertUsage(4);
    assertThat(used().runTime()).isPositive();
    assertThat(usage().get(0).lost()).isZero();
  }

  @Test
  void aBatchThatWasHandedBackDoesNotCount() {
    enqueue(3);
    acme.claim(3).close();
    assertThat(usage()).isEmpty();
    try (Batch again = acme.claim(3)) {
      again.settle();
    }
    assertUsage(3);
  }

  @Test
  void anOpenBatchDoesNotCount() {
    enqueue(1);
    Batch open = acme.claim(1);
    assertThat(usage()).isEmpty();
    open.settle();
    assertUsage(1);
  }

  @Test
  void handlersOfALeasedWorkerAreTimedEachOnItsOwn() throws Exception {
    enqueue(10);
    try (Worker worker =
        fixture.rota().worker().concurrency(4).handle("k", task -> Thread.sleep(20)).start()) {
      Await.until("all done", () -> worker.statistics().done(), 10);
    }
    assertUsage(10);
    assertThat(used().runTime()).isBetween(Duration.ofMillis(200), Duration.ofSeconds(20));
  }

  @Test
  void aBatchHandlerIsTimedOnce() throws Exception {
    enqueue(10);
    try (Worker worker =
        fixture.rota().worker().handleBatch("k", tasks -> Thread.sleep(50)).start()) {
      Await.until("all done", () -> worker.statistics().done(), 10);
    }
    assertUsage(10);
    assertThat(used().runTime()).isBetween(Duration.ofMillis(50), Duration.ofSeconds(20));
  }

  @Test
  void aBatchCountsWholeThoughPartsOfItWereSettledBefore() throws Exception {
    enqueue(3);
    CountDownLatch release = new CountDownLatch(1);
    try (Worker worker =
        fixture
            .rota()
            .worker()
            .concurrency(1)
            .handle(
                "k",
                task -> {
                  if (task.payload().endsWith("2")) {
                    release.await();
                  }
                })
            .start()) {
      Await.until(
          "some are settled",
          () -> fixture.number("select count(*) from rota_1.task_hist_1_1 where state = 1"),
          2);
      assertThat(usage()).isEmpty();
      release.countDown();
      Await.until("all done", () -> worker.statistics().done(), 3);
    } finally {
      release.countDown();
    }
    assertUsage(3);
  }

  /** A worker that ends hands back the rest, and in between settles what is done. */
  @Test
  void tasksThatAWorkerHandsBackDoNotCount() throws Exception {
    enqueue(20);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    ExecutorService oneThread = Executors.newSingleThreadExecutor();
    Worker worker =
        fixture
            .rota()
            .worker()
            .concurrency(8)
            .executor(oneThread)
            .handle(
                "k",
                task -> {
                  begun.countDown();
                  release.await();
                })
            .start();
    Thread closing = new Thread(worker::close);
    try {
      begun.await();
      Await.atLeast("several are claimed", () -> worker.statistics().claimed(), 5);
      closing.start();
      Await.atLeast(
          "the rest is handed back while the batch is open",
          () -> fixture.number("select count(*) from rota_1.task_hist_1_1 where state = 6"),
          4);
      assertThat(usage()).isEmpty();
    } finally {
      release.countDown();
      closing.join();
      oneThread.shutdown();
    }
    assertUsage(1);
  }

  @Test
  void aTransactionalWorkerBooksItsBatchesWithTheirEnds() throws Exception {
    enqueue(10);
    try (Worker worker =
        fixture
            .rota()
            .worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .retry(RetryPolicy.of(1, attempt -> Duration.ZERO))
            .handleInTransaction(
                "k",
                (task, connection) -> {
                  Thread.sleep(5);
                  if (task.payload().endsWith("3")) {
                    throw new IllegalStateException("no");
                  }
                })
            .start()) {
      Await.until("all ran", () -> worker.statistics().done(), 9);
      Await.until("one failed", () -> worker.statistics().dead(), 1);
    }
    assertUsage(10);
    assertThat(used().runTime()).isBetween(Duration.ofMillis(50), Duration.ofSeconds(20));
  }

  @Test
  void fireAndForgetCountsAttemptsAndBytesWithoutATime() throws Exception {
    enqueue(10);
    try (Worker worker =
        fixture
            .rota()
            .worker()
            .delivery(DeliveryMode.FIRE_AND_FORGET)
            .handle("k", task -> Thread.sleep(5))
            .start()) {
      Await.until("all ran", () -> worker.statistics().done(), 10);
    }
    assertUsage(10);
    assertThat(used().runTime()).isZero();
  }

  @Test
  void aCancelledAttemptCounts() {
    enqueue(2);
    Batch batch = acme.claim(2);
    batch.release(batch.tasks().get(0));
    acme.control().requestCancel(TaskFilter.all().ids(List.of(batch.tasks().get(0).id())), "stop");
    batch.settle();
    assertUsage(2);
  }

  @Test
  void payloadsThatTheClaimReplacedCountAsTheyRan() {
    acme.enqueue(NewTask.of("k", "short").withKey(TaskKey.versioned("a", 1)));
    acme.enqueue(NewTask.of("k", "a longer one").withKey(TaskKey.versioned("a", 2)));
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::payload).containsExactly("a longer one");
      batch.settle();
    }
    assertThat(used().bytes()).isEqualTo("a longer one".length());
  }

  @Test
  void rowsThatNoWorkerCanRunDoNotCount() throws SQLException {
    enqueue(1);
    fixture.execute(
        "insert into rota_1.task_init_1_0 (id, created_at, attempt, kind, payload)"
            + " values (7, now(), 0, 'not a kind', 'xyz')");
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).hasSize(1);
      batch.settle();
    }
    assertUsage(1);
  }

  @Test
  void readsTenantsHourByHour() throws SQLException {
    enqueue(2);
    try (Batch batch = acme.claim(2)) {
      batch.settle();
    }
    other.enqueue(NewTask.of("k", "{}"));
    try (Batch batch = other.claim(1)) {
      batch.settle();
    }
    // As if it had ended two days before.
    fixture.execute(
        "update rota.task_batch_1 set closed_at = closed_at - interval '2 days' where tenant = 2;"
            + " update rota.ledger_segment set opened_at = opened_at - interval '2 days'");
    assertThat(usage()).extracting(Usage::tenant).containsExactly("other", "acme");
    Instant now = usage().get(1).hour();
    assertThat(now.getEpochSecond() % 3_600).isZero();
    assertThat(usage().get(0).hour())
        .isBetween(now.minusSeconds(176_400), now.minusSeconds(169_200));
    var metering = fixture.rota().metering();
    assertThat(metering.usage(now, FOREVER)).extracting(Usage::tenant).containsExactly("acme");
    assertThat(metering.usage(Instant.EPOCH, now))
        .extracting(Usage::tenant)
        .containsExactly("other");
    assertThat(metering.usage(now.plusSeconds(1), FOREVER)).isEmpty();
    assertThat(metering.usage("other", Instant.EPOCH, FOREVER)).hasSize(1);
    assertThatExceptionOfType(UnknownTenantException.class)
        .isThrownBy(() -> metering.usage("nobody", Instant.EPOCH, FOREVER))
        .withMessageContaining("'nobody'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> metering.usage(FOREVER, Instant.EPOCH))
        .withMessageContaining("use an end");
  }

  @Test
  void theVerificationTellsWhatDiffers() throws SQLException {
    enqueue(2);
    try (Batch batch = acme.claim(2)) {
      batch.settle();
    }
    fixture.execute("update rota.task_batch_1 set attempts = 3, bytes = bytes + 1");
    UsageVerification result = fixture.rota().metering().verify(Instant.EPOCH, FOREVER);
    assertThat(result.isExact()).isFalse();
    assertThat(result.differences())
        .singleElement()
        .satisfies(
            difference -> {
              assertThat(difference.tenant()).isEqualTo("acme");
              assertThat(difference.usage()).isEqualTo(new Counts(3, 23));
              assertThat(difference.history()).isEqualTo(new Counts(2, 22));
            });
    fixture.execute("update rota.task_batch_1 set attempts = 2, bytes = bytes - 1");
  }

  private void enqueue(int count) {
    acme.enqueueAll(IntStream.range(0, count).mapToObj(i -> NewTask.of("k", payload(i))).toList());
  }

  /** Nine characters, and eleven bytes of UTF-8. */
  private static String payload(int number) {
    return "größe: " + (number < 10 ? "0" : "") + number;
  }

  private void assertUsage(int attempts) {
    assertThat(used().count()).isEqualTo(attempts);
    assertThat(used().bytes()).isEqualTo(11L * attempts);
  }

  private Usage.Attempts used() {
    assertThat(usage()).hasSize(1);
    return usage().get(0).attempts();
  }

  private List<Usage> usage() {
    return fixture.rota().metering().usage(Instant.EPOCH, FOREVER).toList();
  }
}
