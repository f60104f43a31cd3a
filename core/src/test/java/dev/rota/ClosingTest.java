package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.history.HistoryFilter;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests producers whose Rota is closed. */
@Timeout(60)
@RotaTest
class ClosingTest {

  private static final NewTask TASK = NewTask.of("k", "{}");

  @Given private static RotaFixture fixture;

  @Test
  void closingWritesWhatWasAccepted() throws Exception {
    Rota rota = fixture.another();
    Tenant tenant = rota.tenants().register("flushed");
    List<CompletableFuture<Long>> futures =
        IntStream.range(0, 3_000).mapToObj(i -> tenant.enqueueAsync(TASK)).toList();
    rota.close();
    List<Long> ids = new ArrayList<>();
    for (CompletableFuture<Long> future : futures) {
      ids.add(future.get(30, TimeUnit.SECONDS));
    }
    assertThat(claimAll(fixture.rota().tenants().get("flushed")))
        .containsExactlyInAnyOrderElementsOf(ids);
    rota.close();
  }

  @Test
  void afterClosingNothingIsAccepted() throws Exception {
    Rota rota = fixture.another();
    Tenant tenant = rota.tenants().register("closed");
    rota.close();
    try (Connection connection = fixture.database().connect()) {
      List<Callable<Object>> calls =
          List.of(
              () -> tenant.enqueue(TASK),
              () -> tenant.enqueueAsync(TASK).join(),
              () -> tenant.enqueueAll(List.of(TASK)),
              () -> tenant.enqueue(connection, TASK),
              () -> tenant.claim(1),
              () -> tenant.history().scanAttempts(1),
              tenant.history()::scanStates,
              () -> tenant.history().page(HistoryFilter.all()),
              () -> rota.tenants().register("closed"),
              () -> rota.tenants().find("closed"),
              () -> rota.tenants().list(),
              rota::worker);
      for (Callable<Object> call : calls) {
        assertThatExceptionOfType(RotaClosedException.class)
            .isThrownBy(call::call)
            .withMessageContaining("closed");
      }
    }
    assertThatExceptionOfType(RotaClosedException.class).isThrownBy(rota.admin()::migrate);
    assertThat(fixture.rota().tenants().get("closed").history().scanStates())
        .containsEntry(TaskState.PENDING, 0L);
  }

  @Test
  void aProducerThatWaitsForRoomIsTurnedAwayAndWhatWasAcceptedIsWritten() throws Exception {
    Faults faults = new Faults();
    ScriptedFault writers = faults.before("enqueue").hold();
    Rota rota = fixture.observed(faults, builder -> builder.asyncMemory(1 << 20));
    Tenant tenant = rota.tenants().register("turned away");
    NewTask large = NewTask.of("k", "x".repeat(65_536));
    List<CompletableFuture<Long>> accepted =
        IntStream.range(0, 7).mapToObj(i -> tenant.enqueueAsync(large)).toList();
    CompletableFuture<Throwable> refusal = new CompletableFuture<>();
    Thread producer =
        new Thread(
            () -> {
              try {
                refusal.completeExceptionally(
                    new AssertionError("accepted as " + tenant.enqueueAsync(large).join()));
              } catch (RuntimeException e) {
                refusal.complete(e);
              }
            });
    producer.start();
    Await.until("it waits", () -> producer.getState() == Thread.State.WAITING);
    Thread closer = new Thread(rota::close);
    closer.start();
    assertThat(refusal.get(30, TimeUnit.SECONDS)).isInstanceOf(RotaClosedException.class);
    assertThat(accepted).noneMatch(CompletableFuture::isDone);

    writers.awaitReached();
    writers.release();
    closer.join(TimeUnit.SECONDS.toMillis(30));
    for (CompletableFuture<Long> future : accepted) {
      assertThat(future.get(30, TimeUnit.SECONDS)).isPositive();
    }
    assertThat(claimAll(fixture.rota().tenants().get("turned away"))).hasSize(7);
  }

  /** As with a database that does not answer, or a pool that waits long for a connection. */
  @Test
  @Tag("exhaustive")
  void closingEndsThoughTheProcessCannotSignOff() throws Exception {
    Faults faults = new Faults();
    ScriptedFault signsOff = faults.before("sign off").hold();
    Rota rota = fixture.observed(faults);
    Tenant tenant = RotaFixture.tenant(rota, "held");
    assertThat(tenant.enqueue(TASK)).isPositive();
    Batch batch = tenant.claim(1);
    assertThat(batch.tasks()).hasSize(1);
    rota.close();
    assertThat(signsOff.isReached()).isTrue();
    signsOff.release();
  }

  @Test
  void handlersThatRunUseTheirRotaUntilTheyEnd() throws Exception {
    Rota rota = fixture.another(builder -> builder.retry(RetryPolicy.never()));
    Tenant tenant = rota.tenants().register("runs on");
    CountDownLatch begun = new CountDownLatch(2);
    CountDownLatch release = new CountDownLatch(1);
    AutoCloseable unused = fixture.closeLater(release::countDown);
    List<Worker> workers = new ArrayList<>();
    for (String kind : List.of("a", "b")) {
      assertThat(tenant.enqueueAll(Collections.nCopies(3, NewTask.of(kind, "{}")))).hasSize(3);
      TaskHandler handler =
          task -> {
            begun.countDown();
            release.await();
            enqueueInEachWay(tenant);
          };
      workers.add(rota.worker().concurrency(1).batchSize(3).handle(kind, handler).start());
    }
    Worker.Builder late = rota.worker().handle("late", task -> {});
    assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Void> closing = InBackground.run(rota::close);
    Tenant seen = fixture.rota().tenants().get("runs on");
    Await.until("both hand back", () -> seen.history().scanStates().get(TaskState.PENDING), 4);
    assertThatExceptionOfType(RotaClosedException.class)
        .isThrownBy(rota::worker)
        .withMessageContaining("starts no worker");
    assertThatExceptionOfType(RotaClosedException.class).isThrownBy(late::start);

    release.countDown();
    closing.get(60, TimeUnit.SECONDS);
    for (Worker worker : workers) {
      WorkerStatistics statistics = worker.statistics();
      // On a slow machine the end comes before it claims all three.
      assertThat(statistics.claimed()).isBetween(1L, 3L);
      assertThat(statistics).isEqualTo(new WorkerStatistics(statistics.claimed(), 1, 0, 0, 0));
    }
    assertThat(claimAll(seen)).hasSize(4 + 2 * 3);
    assertThatExceptionOfType(RotaClosedException.class).isThrownBy(() -> tenant.enqueue(TASK));
  }

  private static void enqueueInEachWay(Tenant tenant) throws SQLException {
    assertThat(tenant.enqueue(TASK)).isPositive();
    assertThat(tenant.enqueueAsync(TASK).isCompletedExceptionally()).isFalse();
    try (Connection connection = fixture.database().connect()) {
      assertThat(tenant.enqueue(connection, TASK)).isPositive();
    }
  }

  private static List<Long> claimAll(Tenant tenant) {
    try (Batch batch = tenant.claim(10_000)) {
      batch.settle();
      return batch.tasks().stream().map(Task::id).toList();
    }
  }
}
