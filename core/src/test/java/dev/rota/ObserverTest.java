package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.RotaBuilder;
import dev.rota.internal.config.GuardedTaskObserver;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.spi.DaemonLoad;
import dev.rota.spi.EndedAttempt;
import dev.rota.spi.TaskObserver;
import dev.rota.spi.TaskObserver.Claimed;
import dev.rota.spi.TaskObserver.EnqueuePath;
import dev.rota.spi.TaskObserver.EnqueueTrace;
import dev.rota.spi.TaskObserver.Enqueued;
import dev.rota.spi.TaskObserver.HandlerCall;
import dev.rota.spi.TaskObserver.HandlerCalls;
import dev.rota.spi.TaskObserver.Settled;
import dev.rota.spi.WorkerLoad;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Tests what an observer is told, and that it harms no task. */
@RotaTest
class ObserverTest {

  private static final NewTask TASK = NewTask.of("k", "{}");

  private final Recording told = new Recording();
  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  /** What an observer was told. */
  private static final class Recording implements TaskObserver {
    final Queue<Enqueued> enqueued = new ConcurrentLinkedQueue<>();
    final Queue<Claimed> claimed = new ConcurrentLinkedQueue<>();
    final Queue<HandlerCall> begun = new ConcurrentLinkedQueue<>();
    final Queue<HandlerCall> returned = new ConcurrentLinkedQueue<>();
    final Queue<String> ended = new ConcurrentLinkedQueue<>();
    final Queue<Long> waited = new ConcurrentLinkedQueue<>();
    final Queue<Long> ran = new ConcurrentLinkedQueue<>();
    final Queue<Settled> settled = new ConcurrentLinkedQueue<>();
    final Queue<String> lost = new ConcurrentLinkedQueue<>();
    final Queue<Supplier<WorkerLoad>> workers = new ConcurrentLinkedQueue<>();
    HandlerCalls wantedCalls = HandlerCalls.ALL;
    boolean wantsEnded = true;

    @Override
    public HandlerCalls handlerCalls() {
      return wantedCalls;
    }

    @Override
    public boolean endedAttempts() {
      return wantsEnded;
    }

    @Override
    public void enqueued(Enqueued one) {
      enqueued.add(one);
    }

    @Override
    public void claimed(Claimed one) {
      claimed.add(one);
    }

    @Override
    public void begun(HandlerCall call) {
      begun.add(call);
    }

    @Override
    public void returned(HandlerCall call, @Nullable String error) {
      returned.add(call);
    }

    @Override
    public void ended(List<? extends EndedAttempt> attempts) {
      for (EndedAttempt each : attempts) {
        ended.add(
            "%s %s %d %s %s"
                .formatted(
                    each.tenant(), each.kind(), each.attempt(), each.ending(), each.error()));
        waited.add(each.waitNanos());
        ran.add(each.runNanos());
      }
    }

    @Override
    public void settled(Settled one) {
      settled.add(one);
    }

    @Override
    public void lost(String tenant, int tasks) {
      lost.add(tenant + " " + tasks);
    }

    @Override
    public void workerStarted(Supplier<WorkerLoad> load) {
      workers.add(load);
    }

    @Override
    public void workerClosed(Supplier<WorkerLoad> load) {
      workers.remove(load);
    }

    long tasksClaimed() {
      return claimed.stream().mapToLong(Claimed::tasks).sum();
    }
  }

  /** An observer that throws from all methods. */
  private static final class Throwing implements TaskObserver {
    final AtomicLong calls = new AtomicLong();

    private void fail() {
      long call = calls.incrementAndGet();
      if (call % 2 == 0) {
        throw new LinkageError("built for another library");
      }
      throw new IllegalStateException("no registry");
    }

    @Override
    public void enqueued(Enqueued enqueued) {
      fail();
    }

    @Override
    public void claimed(Claimed claimed) {
      fail();
    }

    @Override
    public void begun(HandlerCall call) {
      fail();
    }

    @Override
    public void returned(HandlerCall call, @Nullable String error) {
      fail();
    }

    @Override
    public void ended(List<? extends EndedAttempt> attempts) {
      fail();
    }

    @Override
    public void settled(Settled settled) {
      fail();
    }

    @Override
    public void lost(String tenant, int tasks) {
      fail();
    }

    @Override
    public void workerStarted(Supplier<WorkerLoad> load) {
      fail();
    }

    @Override
    public void workerClosed(Supplier<WorkerLoad> load) {
      fail();
    }

    @Override
    public void daemonStarted(Supplier<DaemonLoad> load) {
      fail();
    }

    @Override
    public void daemonClosed(Supplier<DaemonLoad> load) {
      fail();
    }
  }

  @Test
  void seesEachWayOfAnEnqueue() throws Exception {
    Tenant observed = observed(told).tenants().get("acme");
    observed.enqueue(TASK);
    observed.enqueueAll(List.of(TASK, NewTask.of("other", "{}"), TASK));
    observed.enqueueAsync(TASK).get(60, TimeUnit.SECONDS);
    try (Connection mine = fixture.begin()) {
      observed.enqueue(mine, TASK);
      mine.rollback();
    }
    Await.until("four enqueues are told", () -> told.enqueued.size(), 4);
    assertThat(told.enqueued)
        .allMatch(each -> each.tenant().equals("acme") && each.nanos() > 0 && each.error() == null)
        .extracting(each -> each.path() + " " + new TreeMap<>(each.kinds()))
        .containsExactly("SINGLE {k=1}", "BULK {k=2, other=1}", "ASYNC {k=1}", "CALLER {k=1}");
  }

  @Test
  void seesAnEnqueueThatFails() {
    Faults faults = new Faults();
    Tenant observed =
        fixture.observed(faults, builder -> builder.observer(told)).tenants().get("acme");
    faults.before("enqueue").always().fail();
    assertThatThrownBy(() -> observed.enqueueAll(List.of(TASK, TASK)))
        .isInstanceOf(RotaException.class);
    assertThat(observed.enqueueAsync(TASK)).failsWithin(Duration.ofSeconds(60));
    assertThatThrownBy(() -> observed.enqueueAll(Collections.singletonList(null)))
        .isInstanceOf(RuntimeException.class);
    Await.until("three enqueues are told", () -> told.enqueued.size(), 3);
    assertThat(told.enqueued)
        .allMatch(each -> each.error() != null && each.kinds().isEmpty())
        .extracting(Enqueued::path)
        .containsExactly(EnqueuePath.BULK, EnqueuePath.ASYNC, EnqueuePath.BULK);
  }

  @Test
  void seesALeasedTaskFromItsClaimToItsSettle() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Rota rota = observed(told);
    try (Worker worker =
        rota.worker()
            .concurrency(2)
            .retry(RetryPolicy.never())
            .handle(
                "k",
                task -> {
                  running.countDown();
                  release.await();
                })
            .handle("boom", task -> sayBoom())
            .start()) {
      acme.enqueue(TASK);
      assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
      WorkerLoad load = told.workers.element().get();
      assertThat(load).isEqualTo(new WorkerLoad(2, Map.of("k", 1, "boom", 0), 0, 0, 1));
      assertThat(load.busy()).isEqualTo(1);
      release.countDown();
      acme.enqueue(NewTask.of("boom", "{}"));
      Await.until("both ended", () -> told.ended.size(), 2);
      Await.until("waits", () -> worker.statistics().done() + worker.statistics().dead(), 2);
    }
    assertThat(told.ended)
        .containsExactlyInAnyOrder("acme k 1 DONE null", "acme boom 1 DEAD IllegalStateException");
    assertThat(told.begun)
        .hasSize(2)
        .allMatch(call -> call.runs().size() == 1 && call.runs().get(0).attempt() == 1);
    assertThat(told.returned).containsExactlyInAnyOrderElementsOf(told.begun);
    assertThat(told.tasksClaimed()).isEqualTo(2);
    assertThat(told.settled).noneMatch(Settled::failed).anyMatch(each -> each.delayNanos() > 0);
    assertThat(told.ran).allMatch(nanos -> nanos > 0);
    assertThat(told.workers).isEmpty();
  }

  @Test
  void knowsHowLongTasksWaited() {
    try (Worker worker = observed(told).worker().handle("k", task -> {}).start()) {
      Await.until(
          "the clock of the database is known",
          () -> {
            acme.enqueue(TASK);
            return told.waited.stream().anyMatch(nanos -> nanos >= 0);
          });
      Await.until("all done", () -> worker.statistics().done() == told.ended.size());
    }
    assertThat(told.waited).allMatch(nanos -> nanos < Await.USUAL.toNanos());
  }

  @Test
  void seesThatAFailedAttemptIsRetried() {
    try (Worker worker =
        observed(told)
            .worker()
            .retry(RetryPolicy.defaults())
            .handle("k", task -> sayBoom())
            .start()) {
      acme.enqueue(TASK);
      Await.until("it failed", () -> worker.statistics().failed(), 1);
    }
    assertThat(told.ended).containsExactly("acme k 1 FAILED IllegalStateException");
  }

  @Test
  void seesABatchHandlerAsOneCall() {
    acme.enqueueAll(Collections.nCopies(3, TASK));
    try (Worker worker = observed(told).worker().handleBatch("k", tasks -> {}).start()) {
      Await.until("all done", () -> worker.statistics().done(), 3);
    }
    assertThat(told.begun).singleElement().extracting(call -> call.runs().size()).isEqualTo(3);
    assertThat(told.ended).hasSize(3);
  }

  @Test
  void seesATransactionalTask() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    try (Worker worker =
        observed(told)
            .worker()
            .concurrency(1)
            .delivery(DeliveryMode.TRANSACTIONAL)
            .handleInTransaction(
                "k",
                (task, connection) -> {
                  running.countDown();
                  release.await();
                })
            .start()) {
      acme.enqueue(TASK);
      assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(told.workers.element().get())
          .isEqualTo(new WorkerLoad(1, Map.of("k", 1), 0, 0, 0));
      release.countDown();
      Await.until("done", () -> worker.statistics().done(), 1);
      Await.until("told", () -> told.ended.size(), 1);
    }
    assertThat(told.ended).containsExactly("acme k 1 DONE null");
    assertThat(told.returned).containsExactlyElementsOf(told.begun);
    assertThat(told.tasksClaimed()).isEqualTo(1);
  }

  @Test
  void seesThatFireAndForgetRetriesNothing() {
    try (Worker worker =
        observed(told)
            .worker()
            .delivery(DeliveryMode.FIRE_AND_FORGET)
            .handle("k", task -> sayBoom())
            .start()) {
      acme.enqueue(TASK);
      Await.until("told", () -> told.ended.size(), 1);
      Await.until("counted", () -> worker.statistics().lost(), 1);
    }
    assertThat(told.ended).containsExactly("acme k 1 DEAD IllegalStateException");
    assertThat(told.lost).isEmpty();
    assertThat(told.settled).isEmpty();
  }

  @Test
  void seesThatALeaseWasLost() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    try (Worker worker =
        observed(told)
            .worker()
            .handle(
                "k",
                task -> {
                  running.countDown();
                  release.await();
                })
            .start()) {
      acme.enqueue(TASK);
      assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
      abandonOpenBatch();
      release.countDown();
      Await.until("lost", () -> worker.statistics().lost(), 1);
      Await.until("it ran again", () -> worker.statistics().done(), 1);
    }
    assertThat(told.lost).containsExactly("acme 1");
    assertThat(told.ended).containsExactly("acme k 2 DONE null");
  }

  private void abandonOpenBatch() {
    Kernel kernel = DefaultRota.kernelOf(fixture.rota());
    kernel
        .database()
        .run(
            "abandon",
            session -> {
              String open = "where b.closed_at is null";
              for (BatchLocation batch : LedgerRows.find(session, kernel.tables(), open)) {
                kernel.batchReturn().abandon(session, batch, "taken for dead");
              }
            });
  }

  @Test
  void seesClaimsAndSettlesThatFail() {
    Faults faults = new Faults();
    Rota rota = fixture.observed(faults, builder -> builder.observer(told));
    faults.before("claim").fail();
    faults.before("close batches").fail();
    acme.enqueue(TASK);
    try (Worker worker = rota.worker().handle("k", task -> {}).start()) {
      Await.until("done", () -> worker.statistics().done(), 1);
    }
    assertThat(told.claimed)
        .filteredOn(Claimed::failed)
        .isNotEmpty()
        .allMatch(each -> each.tasks() == 0 && each.tenants() > 0);
    assertThat(told.settled)
        .filteredOn(Settled::failed)
        .isNotEmpty()
        .allMatch(each -> each.delayNanos() == -1);
  }

  @ParameterizedTest
  @EnumSource(HandlerCalls.class)
  @Tag("exhaustive")
  void isToldOfTheCallsThatItWants(HandlerCalls wanted) {
    told.wantedCalls = wanted;
    told.wantsEnded = wanted == HandlerCalls.ALL;
    Rota rota = observed(told);
    acme.enqueueAll(List.of(TASK, TASK.withHeader("trace", "1"), NewTask.of("t", "{}")));
    try (Worker worker = rota.worker().handle("k", task -> {}).start();
        Worker inTransaction =
            rota.worker()
                .delivery(DeliveryMode.TRANSACTIONAL)
                .handleInTransaction("t", (task, connection) -> {})
                .start()) {
      Await.until("leased ones are done", () -> worker.statistics().done(), 2);
      Await.until("the other is done", () -> inTransaction.statistics().done(), 1);
    }
    int calls = Map.of(HandlerCalls.NONE, 0, HandlerCalls.WITH_HEADERS, 1).getOrDefault(wanted, 3);
    assertThat(told.begun).hasSize(calls);
    assertThat(told.returned).containsExactlyInAnyOrderElementsOf(told.begun);
    assertThat(told.ended).hasSize(wanted == HandlerCalls.ALL ? 3 : 0);
    assertThat(told.tasksClaimed()).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource(DeliveryMode.class)
  @Tag("exhaustive")
  void anObserverThatThrowsHarmsNoTask(DeliveryMode mode) throws Exception {
    Throwing observer = new Throwing();
    Rota rota = observed(observer);
    Tenant observed = rota.tenants().get("acme");
    Worker.Builder builder = rota.worker().delivery(mode);
    if (mode == DeliveryMode.TRANSACTIONAL) {
      builder.handleInTransaction("k", (task, connection) -> {});
    } else {
      builder.handle("k", task -> {});
    }
    observed.enqueue(TASK);
    observed.enqueueAll(List.of(TASK, TASK));
    observed.enqueueAsync(TASK).get(60, TimeUnit.SECONDS);
    try (Worker worker = builder.start()) {
      Await.until("all done", () -> worker.statistics().done(), 4);
    }
    assertThat(observer.calls.get()).isGreaterThan(8);
  }

  @Test
  void whatAnObserverThrowsIsLoggedOnceAMinute() {
    AtomicLong clock = new AtomicLong();
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger(GuardedTaskObserver.class);
    logger.addAppender(log);
    try {
      Rota rota =
          fixture.another(
              builder -> RotaBuilder.nanoTime(builder.observer(new Throwing()), clock::get));
      Tenant observed = rota.tenants().get("acme");
      observed.enqueue(TASK);
      observed.enqueue(TASK);
      observed.enqueue(TASK);
      assertThat(log.list).hasSize(1);
      clock.addAndGet(TimeUnit.MINUTES.toNanos(1));
      observed.enqueue(TASK);
      assertThat(log.list)
          .hasSize(2)
          .last()
          .asString()
          .contains(Throwing.class.getName(), "enqueued()", "2 like this since the last line");
    } finally {
      logger.detachAppender(log);
    }
  }

  @Test
  void headersThatCannotBeStoredCostNoTask() {
    EnqueueTrace trace =
        new EnqueueTrace() {
          @Override
          public Map<String, String> headers() {
            return Map.of("two words", "x");
          }
        };
    TaskObserver observer =
        new TaskObserver() {
          @Override
          public EnqueueTrace enqueuing(
              String tenant, Map<String, Integer> kinds, EnqueuePath path) {
            return trace;
          }
        };
    Tenant observed = observed(observer).tenants().get("acme");
    observed.enqueue(TASK.withHeader("own", "1"));
    try (Batch batch = observed.claim(10)) {
      assertThat(batch.tasks())
          .singleElement()
          .extracting(Task::headers)
          .isEqualTo(Map.of("own", "1"));
      batch.settle();
    }
  }

  private static void sayBoom() {
    throw new IllegalStateException("boom");
  }

  private Rota observed(TaskObserver observer) {
    return fixture.another(builder -> builder.observer(observer));
  }
}
