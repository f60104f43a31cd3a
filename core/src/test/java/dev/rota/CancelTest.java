package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.Batch.SettleResult;
import dev.rota.control.TaskFilter;
import dev.rota.history.HistoryFilter;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Tests the cancellation of pending and waiting tasks, on the oldest and the newest server. */
@RotaTest
@PostgresVersions({15, 18})
class CancelTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void pendingAndWaitingTasksAreCancelledForGood() {
    long pending = acme.enqueue(MAIL.withParent(9));
    long waiting = acme.enqueue(MAIL.after(Duration.ofHours(1)));
    assertThat(acme.control().cancel(TaskFilter.all(), "no longer wanted")).isEqualTo(2);
    assertThat(acme.claim(10).tasks()).isEmpty();
    for (long id : new long[] {pending, waiting}) {
      assertThat(acme.history().scanAttempts(id))
          .singleElement()
          .satisfies(
              attempt -> {
                assertThat(attempt.state()).isEqualTo(TaskState.CANCELLED);
                assertThat(attempt.error()).contains("no longer wanted");
                assertThat(attempt.number()).isEqualTo(1);
                assertThat(attempt.finishedAt()).isPresent();
              });
    }
    assertThat(acme.history().page(HistoryFilter.all().states(TaskState.CANCELLED)).attempts())
        .hasSize(2);
    assertThat(acme.control().cancel(TaskFilter.all(), "again")).isZero();
  }

  @Test
  void tasksAreCountedBeforeTheyAreCancelled() {
    acme.enqueueAll(Collections.nCopies(7, MAIL));
    acme.enqueue(NewTask.of("sms", "{}").after(Duration.ofHours(1)));
    assertThat(acme.control().count(TaskFilter.all(), tasks -> true)).isEqualTo(8);
    assertThat(acme.control().count(TaskFilter.all().kind("mail"), tasks -> true)).isEqualTo(7);
    assertThat(acme.control().count(TaskFilter.all(), tasks -> false)).isLessThan(8);
    assertThat(acme.control().changePriority(TaskFilter.all(), 5, tasks -> false)).isEqualTo(1);
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 7L);
  }

  @Test
  void tasksOfAllSlotsAreFound() throws SQLException {
    for (int slot = 0; slot < 3; slot++) {
      fixture.execute(
          "insert into rota_1.task_init_1_%d (id, created_at, attempt, kind, payload)"
                  .formatted(slot)
              + " values (%d, now(), 0, 'mail', '{}')".formatted(slot + 1));
    }
    assertThat(acme.control().cancel(TaskFilter.all().ids(List.of(1L, 3L)), "")).isEqualTo(2);
    assertThat(acme.claim(10).tasks()).extracting(Task::id).containsExactly(2L);
  }

  @Test
  void conditionsAddUp() {
    List<Long> mails = acme.enqueueAll(Collections.nCopies(5, MAIL));
    acme.enqueueAll(Collections.nCopies(3, NewTask.of("sms", "{}")));
    Instant future = Instant.now().plus(Duration.ofDays(1));
    assertThat(acme.control().cancel(TaskFilter.all().createdFrom(future), "")).isZero();
    assertThat(acme.control().cancel(TaskFilter.all().ids(mails).kind("sms"), "")).isZero();
    assertThat(acme.control().cancel(TaskFilter.all().ids(List.of()), "")).isZero();
    assertThat(acme.control().cancel(TaskFilter.all().kind("sms").createdBefore(future), ""))
        .isEqualTo(3);
    assertThat(acme.control().cancel(TaskFilter.all().ids(mails.subList(0, 2)), "")).isEqualTo(2);
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.PENDING, 3L)
        .containsEntry(TaskState.CANCELLED, 5L);
  }

  @Test
  void runningTasksAreLeftAlone() {
    acme.enqueueAll(Collections.nCopies(4, MAIL));
    try (Batch batch = acme.claim(2)) {
      assertThat(acme.control().cancel(TaskFilter.all(), "")).isEqualTo(2);
      assertThat(batch.settle()).isEqualTo(new SettleResult(2, 0));
    }
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DONE, 2L)
        .containsEntry(TaskState.CANCELLED, 2L);
  }

  @Test
  void aTaskIsEitherRunOrCancelled() throws Exception {
    int tasks = 20_000;
    List<Long> ids = acme.enqueueAll(Collections.nCopies(tasks, MAIL));
    Set<Long> ran = ConcurrentHashMap.newKeySet();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    long cancelled = 0;
    try (Worker worker =
        fixture
            .another()
            .worker()
            .batchSize(100)
            .handle("mail", task -> ran.add(task.id()))
            .start()) {
      List<Future<Long>> counts = new ArrayList<>();
      for (int part = 0; part < 4; part++) {
        List<Long> own = ids.subList(part * tasks / 4, (part + 1) * tasks / 4);
        counts.add(threads.submit(() -> acme.control().cancel(TaskFilter.all().ids(own), "")));
      }
      for (Future<Long> count : counts) {
        cancelled += count.get();
      }
      long expected = tasks - cancelled;
      Await.until("the others ran", Await.LONG, () -> worker.statistics().done(), expected);
    } finally {
      threads.shutdownNow();
    }
    assertThat(ran).hasSize((int) (tasks - cancelled));
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.CANCELLED, cancelled)
        .containsEntry(TaskState.DONE, tasks - cancelled)
        .containsEntry(TaskState.PENDING, 0L);
  }

  @Test
  void aStepThatFailsLosesNothing() {
    acme.enqueueAll(Collections.nCopies(10, MAIL));
    Faults faults = new Faults();
    // The current slot is the last of four tables.
    faults.after("cancel").from(4).loseAnswer();
    Tenant watched = fixture.observed(faults).tenants().get("acme");
    assertThatExceptionOfType(DatabaseException.class)
        .isThrownBy(() -> watched.control().cancel(TaskFilter.all(), ""))
        .withMessageContaining("cancel tasks of tenant 'acme'");
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.PENDING, 10L)
        .containsEntry(TaskState.CANCELLED, 0L);
    assertThat(watched.control().cancel(TaskFilter.all(), "")).isEqualTo(10);
  }
}
