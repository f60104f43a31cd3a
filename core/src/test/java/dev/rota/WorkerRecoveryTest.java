package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.metrics.IMetricsTracker;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.limits.Controls;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a worker recovers from lost connections, lost leases and an unavailable database. */
@RotaTest
class WorkerRecoveryTest {

  private static final NewTask TASK = NewTask.of("k", "{}");

  private final Faults faults = new Faults();
  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  @Tag("exhaustive")
  void aWorkerWhoseConnectionsAreKilledAgainAndAgainGoesOn() throws Exception {
    int rounds = 5;
    int each = 2_000;
    Set<Long> ran = ConcurrentHashMap.newKeySet();
    String url = fixture.database().jdbcUrl() + "&ApplicationName=victim";
    Rota rota = fixture.closeLater(Rota.builder(url).lease(Duration.ofSeconds(1)).build());
    try (Worker worker = rota.worker().handle("k", task -> ran.add(task.id())).start()) {
      for (int round = 1; round <= rounds; round++) {
        List<Long> ids = acme.enqueueAll(Collections.nCopies(each, TASK));
        Await.until("some ran", () -> ran.contains(ids.get(each / 10)));
        assertThat(killConnections()).isPositive();
      }
      Await.until("all done", () -> done() == rounds * each);
    }
    assertThat(ran).hasSize(rounds * each);
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.PENDING, 0L)
        .containsEntry(TaskState.RUNNING, 0L)
        .containsEntry(TaskState.WAITING, 0L);
  }

  @Test
  void aWorkerGoesOnWhenTheDatabaseComesBack() throws Exception {
    Rota rota = fixture.observed(faults, builder -> builder.doorbell(false));
    try (Worker worker = rota.worker().handle("k", task -> {}).start()) {
      acme.enqueue(TASK);
      Await.until("first done", () -> worker.statistics().done(), 1);
      ScriptedFault away = faults.beforeAnyCall().always().fail();
      acme.enqueueAll(Collections.nCopies(100, TASK));
      long tries = faults.count("settings");
      Await.atLeast("tried in vain", () -> faults.count("settings"), tries + 5);
      assertThat(worker.statistics().claimed()).isEqualTo(1);
      away.stop();
      Await.until("all done", () -> worker.statistics().done(), 101);
    }
  }

  /**
   * An Error, for instance of a full memory: the threads that claim, settle or send heartbeats must
   * survive it.
   */
  @ParameterizedTest
  @ValueSource(strings = {"claim", "close batches", "heartbeat", "discover"})
  @Tag("exhaustive")
  void anErrorEndsNoThreadOfAWorker(String call) throws Exception {
    Rota rota = fixture.observed(faults, WorkerRecoveryTest::alone);
    Set<Long> ran = ConcurrentHashMap.newKeySet();
    try (Worker worker = rota.worker().handle("k", task -> ran.add(task.id())).start()) {
      List<Long> ids = new ArrayList<>(List.of(acme.enqueue(TASK)));
      Await.until("first done", () -> done(), 1);
      ScriptedFault memory = faults.before(call).times(2).fail(WorkerRecoveryTest::outOfMemory);
      ids.addAll(acme.enqueueAll(Collections.nCopies(20, TASK)));
      Await.until("all done", () -> done() == ids.size() && ran.containsAll(ids));
      memory.awaitReached(2);
      Await.atLeast("it was got over", () -> faults.count("heartbeat"), 7);
    }
  }

  @Test
  void anErrorEndsNoThreadThatRunsHandlersInTransactions() throws Exception {
    ScriptedFault memory = faults.before("claim").times(3).fail(WorkerRecoveryTest::outOfMemory);
    Rota rota = fixture.observed(faults, WorkerRecoveryTest::alone);
    try (Worker worker =
        rota.worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .handleInTransaction("k", (task, connection) -> {})
            .concurrency(2)
            .start()) {
      List<Long> ids = acme.enqueueAll(Collections.nCopies(20, TASK));
      Await.until("all done", () -> done(), ids.size());
      assertThat(memory.reached()).isEqualTo(3);
    }
  }

  private static OutOfMemoryError outOfMemory() {
    return new OutOfMemoryError("by order of a test");
  }

  /** No doorbell wakes threads that look for work. */
  private static Rota.Builder alone(Rota.Builder builder) {
    return builder.lease(Duration.ofSeconds(1)).doorbell(false);
  }

  @Test
  void aDatabaseThatStaysAwayDoesNotHoldUpTheEnd() throws Exception {
    Rota rota = fixture.observed(faults, builder -> builder.lease(Duration.ofSeconds(1)));
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    TaskHandler handler =
        task -> {
          running.countDown();
          release.await();
        };
    Worker worker = rota.worker().handle("k", handler).start();
    acme.enqueue(TASK);
    assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
    ScriptedFault away = faults.beforeAnyCall().always().fail();
    release.countDown();
    CompletableFuture<Void> closing = InBackground.run(worker::close);
    closing.get(20, TimeUnit.SECONDS);
    assertThat(fixture.number("select count(*) from rota.task_batch where ended = 0")).isEqualTo(1);
    away.stop();
  }

  @Test
  void theOutcomeOfALostLeaseIsDroppedAndTheTaskRunsAgain() throws Exception {
    Queue<Integer> attempts = new ConcurrentLinkedQueue<>();
    CountDownLatch release = new CountDownLatch(1);
    TaskHandler handler =
        task -> {
          attempts.add(task.attempt());
          if (task.attempt() == 1) {
            release.await();
            throw new IllegalStateException("a late failure");
          }
        };
    try (Worker worker = fixture.rota().worker().handle("k", handler).start()) {
      long id = acme.enqueue(TASK);
      Await.until("running", () -> attempts.size(), 1);
      abandonOpenBatch();
      Await.until("ran again", () -> worker.statistics().done(), 1);
      release.countDown();
      Await.until("counted as lost", () -> worker.statistics().lost(), 1);
      assertThat(worker.statistics()).isEqualTo(new WorkerStatistics(2, 1, 0, 0, 1));
      assertThat(acme.history().scanAttempts(id))
          .extracting(Attempt::state)
          .containsExactly(TaskState.LOST, TaskState.DONE);
    }
    assertThat(attempts).containsExactly(1, 2);
    assertThat(fixture.number("select count(*) from rota_1.task_wait_1")).isZero();
  }

  @Test
  void whatALongBatchHasFinishedIsNotRepeated() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Queue<Long> ran = new ConcurrentLinkedQueue<>();
    List<Long> ids = acme.enqueueAll(Collections.nCopies(10, TASK));
    TaskHandler handler =
        task -> {
          ran.add(task.id());
          if (task.id() == ids.get(9) && task.attempt() == 1) {
            release.await();
          }
        };
    Rota rota = fixture.another();
    try (Worker worker = rota.worker().concurrency(10).handle("k", handler).start()) {
      Await.until("nine are settled", () -> done(), 9);
      abandonOpenBatch();
      Await.until("the tenth ran again", () -> done(), 10);
      release.countDown();
      Await.until("the batch is over", () -> worker.statistics().lost() > 0);
    }
    List<Long> expected = new ArrayList<>(ids);
    expected.add(ids.get(9));
    assertThat(ran).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void aWorkerRunsOnAPoolOfTheHostWithTwoConnections() throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(fixture.database().jdbcUrl());
    config.setMaximumPoolSize(2);
    AtomicInteger vain = new AtomicInteger();
    config.setMetricsTrackerFactory((name, pool) -> countingTimeouts(vain));
    try (HikariDataSource pool = new HikariDataSource(config)) {
      try (Rota rota = Rota.builder(pool).build();
          Worker worker = rota.worker().handle("k", task -> {}).start()) {
        rota.tenants().get("acme").enqueueAll(Collections.nCopies(500, TASK));
        Await.until("all done", Await.LONG, () -> worker.statistics().done(), 500);
      }
      assertThat(vain).as("waited for a connection in vain").hasValue(0);
      assertThat(pool.isClosed()).isFalse();
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
  }

  /** The first claim asks for the rules, reads them, and registers the process. */
  @Test
  void aWorkerRunsOnAPoolOfTheHostWithOneConnection() throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(fixture.database().jdbcUrl());
    config.setMaximumPoolSize(1);
    AtomicInteger vain = new AtomicInteger();
    config.setMetricsTrackerFactory((name, pool) -> countingTimeouts(vain));
    Controls controls = fixture.rota().controls();
    try (HikariDataSource pool = new HikariDataSource(config);
        Rota rota = Rota.builder(pool).doorbell(false).build();
        Worker worker =
            rota.worker().pollInterval(Duration.ofMinutes(5)).handle("k", task -> {}).start()) {
      controls.pause(Scope.kind("other"), "");
      assertThat(controls.awaitQuiet(Scope.kind("other"), Await.LONG)).isTrue();
      rota.tenants().get("acme").enqueueAll(Collections.nCopies(500, TASK));
      Await.until("all done", Await.LONG, () -> worker.statistics().done(), 500);
      assertThat(vain).as("waited for a connection in vain").hasValue(0);
    }
  }

  private static IMetricsTracker countingTimeouts(AtomicInteger count) {
    return new IMetricsTracker() {
      @Override
      public void recordConnectionTimeout() {
        count.incrementAndGet();
      }
    };
  }

  private long done() {
    return acme.history().scanStates().getOrDefault(TaskState.DONE, 0L);
  }

  private int killConnections() throws Exception {
    List<String> killed =
        fixture.texts(
            "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
                + " where datname = current_database() and application_name = 'victim'");
    return killed.size();
  }

  /** As the daemon does when it thinks that the worker is dead. */
  private void abandonOpenBatch() {
    Kernel kernel = DefaultRota.kernelOf(fixture.rota());
    String open = "where b.closed_at is null";
    kernel
        .database()
        .run(
            "abandon",
            session -> {
              for (BatchLocation batch : LedgerRows.find(session, kernel.tables(), open)) {
                kernel.batchReturn().abandon(session, batch, "taken for dead");
              }
            });
  }
}
