package dev.rota.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RetryAfterException;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Task;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.control.Redrive;
import dev.rota.testing.Await;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that no task runs before its time, by the clock of the database, while rings are switched.
 */
@Timeout(300)
@RotaTest
class DelayedTasksTest {

  private static final int TASKS = 20_000;

  private final SplittableRandom random = new SplittableRandom(20_261_122);
  private final AtomicLong early = new AtomicLong();
  private final AtomicLong ran = new AtomicLong();

  @Given private DaemonFixture fixture;
  @Given private Rota rota;
  private List<Tenant> tenants;

  @BeforeEach
  void open() {
    tenants = rota.tenants().registerAll(List.of("a", "b", "c", "d"));
    fixture.daemon(settings -> settings);
  }

  @Test
  @Tag("exhaustive")
  void delayedTasksAreNeverEarly() throws Exception {
    Instant start = now();
    for (Tenant tenant : tenants) {
      List<NewTask> tasks = new ArrayList<>();
      for (int i = 0; i < TASKS / tenants.size(); i++) {
        Instant time = start.plusNanos(random.nextLong(3_000_000_000L));
        tasks.add(NewTask.of("k", time.toString()).runAt(time));
      }
      tenant.enqueueAll(tasks);
    }
    Worker worker =
        rota.worker()
            .handleBatch("k", tasks -> check(tasks, task -> Instant.parse(task.payload())))
            .start();
    Await.atLeast("all ran", Await.LONG, () -> ran.get(), TASKS);
    worker.close();
    assertThat(early).hasValue(0);
    assertEnded(Map.of(TaskState.DONE, (long) TASKS));
  }

  @Test
  @Tag("exhaustive")
  void retriedTasksAreNeverEarly() throws Exception {
    Map<Long, Instant> dueAt = new ConcurrentHashMap<>();
    Worker worker =
        rota.worker()
            .handle(
                "k",
                task -> {
                  if (task.attempt() == 1) {
                    Duration pause = Duration.ofMillis(task.id() % 500);
                    dueAt.put(task.id(), now().plus(pause));
                    throw new RetryAfterException(pause, "not yet");
                  }
                  check(List.of(task), again -> dueAt.get(again.id()));
                })
            .start();
    int each = 250;
    tenants.forEach(tenant -> tenant.enqueueAll(DaemonFixture.tasks("k", each)));
    long all = (long) each * tenants.size();
    Await.atLeast("all ran twice", Await.LONG, () -> ran.get(), all);
    worker.close();
    assertThat(early).hasValue(0);
    assertEnded(Map.of(TaskState.DONE, all, TaskState.FAILED, all));
  }

  @Test
  void redrivenTasksAreSpreadAndAllRun() throws Exception {
    Tenant acme = tenants.get(0);
    acme.enqueueAll(DaemonFixture.tasks("k", 1_000));
    try (var batch = acme.claim(1_000)) {
      batch.forEach(task -> batch.dead(task, "no"));
      batch.settle();
    }
    assertThat(acme.control().redrive(Redrive.all().spreadOver(Duration.ofSeconds(2))))
        .isEqualTo(1_000);
    Worker worker = rota.worker().handleBatch("k", tasks -> ran.addAndGet(tasks.size())).start();
    Await.atLeast("all ran", Await.LONG, () -> ran.get(), 1_000);
    worker.close();
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DONE, 1_000L)
        .containsEntry(TaskState.FAILED, 1_000L)
        .containsEntry(TaskState.WAITING, 0L);
  }

  private interface Due {
    Instant of(Task task);
  }

  private void check(List<Task> tasks, Due due) throws SQLException {
    Instant begun = now();
    for (Task task : tasks) {
      if (begun.isBefore(due.of(task))) {
        early.incrementAndGet();
      }
    }
    ran.addAndGet(tasks.size());
  }

  /** What the clock of the database says. */
  private Instant now() throws SQLException {
    long micros =
        fixture.number("select (extract(epoch from clock_timestamp()) * 1000000)::bigint");
    return Instant.ofEpochSecond(micros / 1_000_000, micros % 1_000_000 * 1_000);
  }

  private void assertEnded(Map<TaskState, Long> expected) {
    for (TaskState state : TaskState.values()) {
      long sum =
          tenants.stream().mapToLong(tenant -> tenant.history().scanStates().get(state)).sum();
      assertThat(sum).as(state.toString()).isEqualTo(expected.getOrDefault(state, 0L));
    }
  }
}
