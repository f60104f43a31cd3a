package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.tasks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.rota.Batch;
import dev.rota.Batch.SettleResult;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@RotaTest
class ReaperTest {

  /** Silent for an hour; the server itself may be younger than the usual lease. */
  private static final String KILL =
      "update rota.worker set heartbeat_at = now() - interval '1 hour',"
          + " lease = interval '100 milliseconds' where id = ";

  /** As many as a worker takes at first of a kind that it runs once at a time. */
  private static final int HELD = 4;

  @Given private DaemonFixture fixture;
  @Given private Tenant acme;
  private Rota doomed;

  @BeforeEach
  void open() {
    // No heartbeat undoes what a test does to its row.
    doomed = fixture.another(builder -> builder.lease(Duration.ofHours(1)));
  }

  @Test
  void tasksOfADeadWorkerRunAgainAndItsLateOutcomesAreLost() throws Exception {
    acme.enqueueAll(tasks("k", 7));
    Batch zombies = doomed.tenants().get("acme").claim(5);
    Batch living = acme.claim(2);
    kill(zombies);
    RotationDaemon daemon = fixture.daemon(settings -> settings);
    Await.until("its tasks are back", () -> daemon.statistics().reaped(), 5);
    try (Batch again = acme.claim(100)) {
      assertThat(again.tasks()).hasSize(5).allMatch(task -> task.attempt() == 2);
      assertThat(zombies.settle()).isEqualTo(new SettleResult(0, 5));
      assertThat(again.settle()).isEqualTo(new SettleResult(5, 0));
    }
    assertThat(living.settle()).isEqualTo(new SettleResult(2, 0));
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DONE, 7L)
        .containsEntry(TaskState.LOST, 5L);
  }

  @Test
  void deadWorkerIsForgottenAndALivingOneIsNot() throws Exception {
    acme.enqueueAll(tasks("k", 2));
    Batch zombies = doomed.tenants().get("acme").claim(1);
    Batch living = acme.claim(1);
    long alive = workerOf(living);
    kill(zombies);
    fixture.daemon(settings -> settings);
    Await.until("one is left", () -> fixture.number("select count(*) from rota.worker"), 1);
    assertThat(fixture.number("select id from rota.worker")).isEqualTo(alive);
    assertThat(living.settle().settled()).isEqualTo(1);
  }

  @Test
  void batchOfAWorkerThatIsNotRegisteredReturns() throws Exception {
    acme.enqueueAll(tasks("k", 3));
    Batch orphans = doomed.tenants().get("acme").claim(3);
    fixture.execute("delete from rota.worker where id = " + workerOf(orphans));
    RotationDaemon daemon = fixture.daemon(settings -> settings);
    Await.until("its tasks are back", () -> daemon.statistics().reaped(), 3);
  }

  @Test
  @Tag("exhaustive")
  void workerThatSpeaksUpKeepsItsBatch() throws Exception {
    acme.enqueueAll(tasks("k", 3));
    Batch batch = doomed.tenants().get("acme").claim(3);
    kill(batch);
    Connection heartbeat = fixture.begin();
    DaemonFixture.execute(
        heartbeat,
        "update rota.worker set heartbeat_at = now(), lease = interval '1 hour' where id = "
            + workerOf(batch));
    Faults calls = new Faults();
    fixture.daemon(fixture.observed(calls), settings -> settings);
    calls.awaitMore("lock dead worker", 3);
    heartbeat.commit();
    calls.awaitMore("find dead workers", 3);
    assertThat(batch.settle()).isEqualTo(new SettleResult(3, 0));
  }

  @Test
  void batchThatCannotReturnStopsNoOther() throws Exception {
    Tenant broken = fixture.rota().tenants().register("broken");
    broken.enqueueAll(tasks("k", 2));
    acme.enqueueAll(tasks("k", 2));
    Batch stuck = doomed.tenants().get("broken").claim(2);
    Batch zombies = doomed.tenants().get("acme").claim(2);
    fixture.execute("drop table " + DaemonFixture.segment(broken, 1) + " cascade");
    kill(stuck);
    RotationDaemon daemon = fixture.daemon(settings -> settings);
    Await.until("the other batch is back", () -> daemon.statistics().reaped(), 2);
    assertThat(zombies.settle().settled()).isZero();
    assertThat(
            fixture.text("select closed_at is null from rota.task_batch where id = " + stuck.id()))
        .isEqualTo("t");
    assertThat(fixture.number("select count(*) from rota.worker")).isEqualTo(1);
  }

  @Test
  @Tag("exhaustive")
  void workerWhoseRowIsGoneStartsNoTaskThatItHolds() throws Exception {
    Map<Integer, Integer> runsByAttempt = new ConcurrentHashMap<>();
    CountDownLatch go = new CountDownLatch(1);
    acme.enqueueAll(tasks("k", HELD));
    try (Worker worker = startWorker(Duration.ofSeconds(5), runsByAttempt, go);
        AutoCloseable unused = go::countDown) {
      Await.until("one runs", () -> !runsByAttempt.isEmpty());
      Await.until("it holds all", () -> acme.history().scanStates().get(TaskState.RUNNING), HELD);
      fixture.execute("delete from rota.worker");
      RotationDaemon daemon = fixture.daemon(settings -> settings);
      Await.until(
          "it is another worker", () -> fixture.number("select count(*) from rota.worker"), 1);
      // Until then the batch is still its own, and its outcomes count.
      Await.until("its batch is back", () -> daemon.statistics().reaped(), HELD);
      acme.enqueue(NewTask.of("proof", ""));
      Await.until("it claims as such", () -> worker.statistics().done(), 1);
      go.countDown();
      Await.until("all are done", () -> acme.history().scanStates().get(TaskState.DONE), HELD + 1);
      Await.until("it knows", () -> worker.statistics().lost(), HELD);
    }
    assertThat(runsByAttempt).containsOnly(entry(1, 1), entry(2, HELD));
  }

  @Test
  @Tag("exhaustive")
  void workerWithoutHeartbeatsStartsNothingAfterItsLease() throws Exception {
    Map<Integer, Integer> runsByAttempt = new ConcurrentHashMap<>();
    CountDownLatch go = new CountDownLatch(1);
    acme.enqueueAll(tasks("k", HELD));
    try (Worker worker = startWorker(Duration.ofSeconds(1), runsByAttempt, go);
        AutoCloseable unused = go::countDown) {
      Await.until("one runs", () -> !runsByAttempt.isEmpty());
      // On a slow machine its lease may be over before, and what it claims again is less.
      Await.atLeast(
          "it holds more than one", () -> acme.history().scanStates().get(TaskState.RUNNING), 2);
      Connection blocker = fixture.begin();
      DaemonFixture.execute(blocker, "lock table rota.worker in exclusive mode");
      String late =
          "select count(*) from rota.worker where clock_timestamp() > heartbeat_at + lease";
      Await.until("its lease is over", () -> fixture.number(late), 1);
      go.countDown();
      Await.until(
          "it hands back", () -> acme.history().scanStates().get(TaskState.PENDING), HELD - 1);
      assertThat(runsByAttempt).containsOnly(entry(1, 1));
      blocker.commit();
      Await.until("all are done", () -> worker.statistics().done(), HELD);
    }
    assertThat(acme.history().scanStates()).containsEntry(TaskState.LOST, 0L);
  }

  private Worker startWorker(
      Duration lease, Map<Integer, Integer> runsByAttempt, CountDownLatch go) {
    return fixture
        .another(builder -> builder.lease(lease))
        .worker()
        .concurrency(2)
        .concurrency("k", 1)
        .handle("proof", task -> {})
        .handle(
            "k",
            task -> {
              runsByAttempt.merge(task.attempt(), 1, Integer::sum);
              go.await();
            })
        .start();
  }

  private void kill(Batch batch) throws Exception {
    fixture.execute(KILL + workerOf(batch));
  }

  private long workerOf(Batch batch) throws Exception {
    return fixture.number("select worker from rota.task_batch where id = " + batch.id());
  }
}
