package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.control.TaskFilter;
import dev.rota.history.HistoryFilter;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests cancel requests for running tasks, on the oldest and the newest server. */
@RotaTest
@PostgresVersions({15, 18})
class CancelRunningTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");
  private static final String LOOK = "look for cancel requests";

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void aHandlerSeesThatItsTaskWasCancelled() throws Exception {
    long id = acme.enqueue(MAIL);
    Worker.Builder builder =
        fixture
            .another()
            .worker()
            .hourlyStatistics(true)
            .handle(
                "mail",
                task -> {
                  Await.until("it is asked to end", task::isCancelled);
                  throw new TaskCancelledException("so I stop");
                });
    try (Worker worker = builder.start()) {
      Await.until("it runs", () -> state(id) == TaskState.RUNNING);
      assertThat(acme.control().requestCancel(TaskFilter.all(), "not wanted")).isEqualTo(1);
      assertThat(acme.control().requestCancel(TaskFilter.all(), "again")).isZero();
      Await.until("it ended", () -> state(id) == TaskState.CANCELLED);
      assertThat(worker.statistics().failed() + worker.statistics().dead()).isZero();
    }
    assertThat(acme.history().scanAttempts(id))
        .singleElement()
        .satisfies(attempt -> assertThat(attempt.error()).contains("not wanted"));
    assertThat(requests()).isZero();
    assertThat(fixture.number("select sum(cancelled) from rota.statistic")).isEqualTo(1);
  }

  @Test
  void aHandlerMayCancelByItself() throws Exception {
    long id = acme.enqueue(MAIL);
    try (Batch batch = acme.claim(1)) {
      batch.fail(batch.tasks().get(0), new TaskCancelledException("nobody needs it"));
      batch.settle();
    }
    assertThat(acme.history().scanAttempts(id))
        .extracting(attempt -> attempt.state() + " " + attempt.error().orElse("-"))
        .containsExactly("CANCELLED nobody needs it");
  }

  @Test
  void whatFailsIsNotTriedAgainAndWhatSucceedsIsDone() throws Exception {
    List<Long> ids = acme.enqueueAll(Collections.nCopies(4, MAIL));
    try (Batch batch = acme.claim(4)) {
      List<Task> tasks = batch.tasks();
      long done = tasks.get(0).id();
      assertThat(acme.control().requestCancel(TaskFilter.all().ids(ids.subList(0, 3)), "stop"))
          .isEqualTo(3);
      batch.fail(tasks.get(1), "broken", Duration.ZERO);
      batch.dead(tasks.get(2), "beyond repair");
      batch.fail(tasks.get(3), "also broken", Duration.ofHours(1));
      assertThat(batch.settle().settled()).isEqualTo(4);
      assertThat(state(done)).isEqualTo(TaskState.DONE);
    }
    assertThat(acme.history().scanStates())
        .containsAllEntriesOf(
            Map.of(
                TaskState.DONE, 1L,
                TaskState.CANCELLED, 1L,
                TaskState.DEAD, 1L,
                TaskState.FAILED, 1L,
                TaskState.WAITING, 1L));
    assertThat(acme.history().page(HistoryFilter.all().states(TaskState.CANCELLED)).attempts())
        .singleElement()
        .satisfies(
            attempt -> assertThat(attempt.error()).contains("stop\nits handler failed: broken"));
    assertThat(requests()).isZero();
  }

  @Test
  void whatIsHandedBackOrLostDoesNotRunAgain() {
    acme.enqueueAll(Collections.nCopies(6, MAIL));
    Batch released = acme.claim(2);
    Batch closed = acme.claim(2);
    Batch lost = acme.claim(2);
    List<Long> asked =
        List.of(released.tasks().get(0).id(), closed.tasks().get(0).id(), lost.tasks().get(0).id());
    assertThat(acme.control().requestCancel(TaskFilter.all().ids(asked), "stop")).isEqualTo(3);
    released.tasks().forEach(released::release);
    released.settle();
    closed.close();
    assertThat(acme.control().requeueRunning(Duration.ZERO)).isEqualTo(1);
    assertThat(lost.settle().lost()).isEqualTo(2);
    for (long id : asked) {
      assertThat(acme.history().scanAttempts(id))
          .extracting(attempt -> attempt.state() + " " + attempt.error().orElse("-"))
          .containsExactly("CANCELLED stop");
    }
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.PENDING, 3L)
        .containsEntry(TaskState.CANCELLED, 3L);
  }

  @Test
  void keysOfCancelledTasksAreFreeAndNewerVersionsRun() {
    NewTask keyed = MAIL.withKey(TaskKey.untilSettled("one"));
    long first = acme.enqueue(keyed);
    acme.enqueue(NewTask.of("index", "1").withKey(TaskKey.versioned("doc", 1)));
    Batch lost = acme.claim(2);
    assertThat(acme.control().requestCancel(TaskFilter.all(), "stop")).isEqualTo(2);
    acme.enqueue(NewTask.of("index", "2").withKey(TaskKey.versioned("doc", 2)));
    lost.close();
    assertThat(counted(TaskState.CANCELLED)).isEqualTo(1);
    assertThat(acme.enqueue(keyed)).isNotEqualTo(first);
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::payload).containsExactlyInAnyOrder("{}", "2");
      assertThat(batch.tasks()).noneMatch(Task::isCancelled);
      batch.settle();
    }
  }

  @Test
  void onlyRunningTasksThatAreMeantAreAsked() throws Exception {
    acme.enqueueAll(Collections.nCopies(3, MAIL));
    acme.enqueueAll(Collections.nCopies(2, NewTask.of("sms", "{}")));
    Tenant other = fixture.rota().tenants().register("other");
    other.enqueue(MAIL);
    try (Batch batch = acme.claim(5);
        Batch others = other.claim(1)) {
      acme.enqueue(NewTask.of("sms", "{}"));
      assertThat(acme.control().requestCancel(TaskFilter.all().ids(List.of(-1L)), "")).isZero();
      assertThat(acme.control().requestCancel(TaskFilter.all().kind("sms"), "")).isEqualTo(2);
      assertThat(others.tasks().get(0).isCancelled()).isFalse();
      assertThat(batch.tasks().stream().filter(Task::isCancelled).map(Task::kind))
          .allMatch(kind -> kind.equals("sms"));
      batch.settle();
    }
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DONE, 5L)
        .containsEntry(TaskState.PENDING, 1L);
  }

  @Test
  void handlersAskTheDatabaseOnceASecond() throws Exception {
    acme.enqueueAll(Collections.nCopies(100, MAIL));
    Faults faults = new Faults();
    Tenant watched = fixture.observed(faults).tenants().get("acme");
    try (Batch batch = watched.claim(100)) {
      long begin = System.nanoTime();
      for (int round = 0; round < 1_000; round++) {
        assertThat(batch.tasks()).noneMatch(Task::isCancelled);
      }
      long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
      assertThat(faults.count(LOOK)).isBetween(1, (int) seconds + 1);
      batch.settle();
    }
  }

  @Test
  void aHandlerThatCannotAskGoesOn() {
    acme.enqueue(MAIL);
    Faults faults = new Faults();
    ScriptedFault broken = faults.before(LOOK).always().fail();
    Tenant watched = fixture.observed(faults).tenants().get("acme");
    try (Batch batch = watched.claim(1)) {
      assertThat(watched.control().requestCancel(TaskFilter.all(), "")).isEqualTo(1);
      assertThat(batch.tasks().get(0).isCancelled()).isFalse();
      batch.settle();
    }
    assertThat(broken.isReached()).isTrue();
  }

  @Test
  void otherModesCannotBeAsked() throws Exception {
    acme.enqueue(NewTask.of("inside", "{}"));
    acme.enqueue(NewTask.of("forgotten", "{}"));
    Faults faults = new Faults();
    AtomicInteger asked = new AtomicInteger();
    Rota rota = fixture.observed(faults);
    CountDownLatch ended = new CountDownLatch(2);
    Worker.Builder transactional =
        rota.worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .handleInTransaction(
                "inside",
                (task, connection) -> {
                  asked.addAndGet(task.isCancelled() ? 1 : 0);
                  asked.addAndGet((int) acme.control().requestCancel(TaskFilter.all(), ""));
                  ended.countDown();
                  throw new TaskCancelledException("enough");
                });
    Worker.Builder forgetting =
        rota.worker()
            .delivery(DeliveryMode.FIRE_AND_FORGET)
            .handle(
                "forgotten",
                task -> {
                  asked.addAndGet((int) acme.control().requestCancel(TaskFilter.all(), ""));
                  asked.addAndGet(task.isCancelled() ? 1 : 0);
                  ended.countDown();
                });
    try (Worker one = transactional.start();
        Worker two = forgetting.start()) {
      assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
      Await.until("one is done", () -> two.statistics().done(), 1);
      Await.until("one is cancelled", () -> counted(TaskState.CANCELLED), 1);
      assertThat(one.statistics().failed()).isZero();
    }
    assertThat(asked.get()).isZero();
    assertThat(faults.count(LOOK)).isZero();
  }

  @Test
  @Tag("exhaustive")
  void noTaskThatWasAskedIsTriedAgain() throws Exception {
    int tasks = 2_000;
    acme.enqueueAll(Collections.nCopies(tasks, MAIL));
    Worker.Builder failing =
        fixture
            .another()
            .worker()
            .batchSize(20)
            .retry(RetryPolicy.fixed(9, Duration.ofHours(1)))
            .handle(
                "mail",
                task -> {
                  throw new IllegalStateException("broken");
                });
    long asked = 0;
    try (Worker worker = failing.start()) {
      while (counted(TaskState.PENDING) + counted(TaskState.RUNNING) > 0) {
        asked += acme.control().requestCancel(TaskFilter.all(), "stop");
      }
      long failed = tasks - asked;
      Await.until("all ended", () -> worker.statistics().failed(), failed);
    }
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.CANCELLED, asked)
        .containsEntry(TaskState.WAITING, tasks - asked)
        .containsEntry(TaskState.FAILED, tasks - asked);
    assertThat(requests()).isZero();
  }

  @Test
  void aRequestWaitsForASettleThatIsUnderWay() throws Exception {
    acme.enqueue(MAIL);
    Faults faults = new Faults();
    ScriptedFault failing = faults.before("retry").hold();
    Tenant watched = fixture.observed(faults).tenants().get("acme");
    Batch batch = watched.claim(1);
    batch.fail(batch.tasks().get(0), "broken", Duration.ofHours(1));
    Thread settling = new Thread(batch::settle);
    settling.start();
    failing.awaitReached();
    AtomicInteger asked = new AtomicInteger(-1);
    Thread asking =
        new Thread(() -> asked.set((int) acme.control().requestCancel(TaskFilter.all(), "stop")));
    asking.start();
    fixture.awaitBlocked(1);
    failing.release();
    settling.join();
    asking.join();
    assertThat(asked.get()).isZero();
    assertThat(requests()).isZero();
    assertThat(counted(TaskState.WAITING)).isEqualTo(1);
  }

  private TaskState state(long id) {
    List<Attempt> attempts = acme.history().scanAttempts(id);
    return attempts.get(attempts.size() - 1).state();
  }

  private long counted(TaskState state) {
    return acme.history().scanStates().get(state);
  }

  private long requests() throws SQLException {
    return fixture.number("select count(*) from rota.cancel_request");
  }
}
