package dev.rota.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.PostgresVersions;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.control.Redrive;
import dev.rota.control.TaskFilter;
import dev.rota.daemon.RotationDaemon;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Kills processes that cancel, redrive, requeue, promote or settle failures while their transaction
 * waits for a table. Each task stays in one place, and another process finishes the work.
 */
@Tag("long")
@Timeout(120)
@RotaTest
@PostgresVersions({15, 18})
class KilledOperatorTest {

  private static final int TASKS = 20;
  private static final List<String> RING =
      List.of("rota_1.task_init_1_0", "rota_1.task_init_1_1", "rota_1.task_init_1_2");
  private static final List<String> WAITING = List.of("rota_1.task_wait_1");
  private static final String WAITERS =
      "select count(*) from pg_locks where not granted and locktype = 'relation'"
          + " and relation::regclass::text ~ '^rota_1[.]task_(init|wait)_'";
  private static final String SESSIONS =
      "select count(*) from pg_stat_activity where datname = current_database()"
          + " and pid <> pg_backend_pid() and state like '%active%' and query ~ 'task_'";
  private static final String LEASE_MILLIS = "2000";
  private static final String SEVEN_DAYS = Long.toString(Duration.ofDays(7).toMillis());

  @Given private TestDatabase database;
  @Given private Rota rota;
  @Given private Tenant acme;

  @Test
  void whoCancels() throws Exception {
    acme.enqueueAll(tasks("k"));
    acme.enqueueAll(tasks("k").stream().map(task -> task.after(Duration.ofDays(1))).toList());
    killWhileItWaits(RING, OperatorProcess.class, "cancel");
    assertThat(count(TaskState.CANCELLED)).isGreaterThanOrEqualTo(TASKS);
    assertThat(count(TaskState.PENDING) + count(TaskState.CANCELLED)).isEqualTo(2 * TASKS);

    acme.control().cancel(TaskFilter.all(), "no longer wanted");
    assertCounts(Map.of(TaskState.CANCELLED, 2L * TASKS));
  }

  @Test
  void whoRedrives() throws Exception {
    acme.enqueueAll(tasks("k"));
    try (Batch batch = acme.claim(TASKS)) {
      batch.forEach(task -> batch.dead(task, "no such address"));
      batch.settle();
    }
    killWhileItWaits(RING, OperatorProcess.class, "redrive");
    assertThat(count(TaskState.PENDING) + count(TaskState.DEAD)).isEqualTo(TASKS);

    acme.control().redrive(Redrive.all());
    runPending();
    assertCounts(Map.of(TaskState.FAILED, (long) TASKS, TaskState.DONE, (long) TASKS));
  }

  @Test
  void whoTakesBackHungTasks() throws Exception {
    acme.enqueueAll(tasks("k"));
    Batch hung = acme.claim(TASKS);
    killWhileItWaits(RING, OperatorProcess.class, "return");
    assertThat(count(TaskState.PENDING) + count(TaskState.RUNNING)).isEqualTo(TASKS);

    acme.control().requeueRunning(Duration.ZERO);
    assertThat(hung.settle().lost()).isEqualTo(TASKS);
    runPending();
    assertCounts(Map.of(TaskState.LOST, (long) TASKS, TaskState.DONE, (long) TASKS));
  }

  @Test
  void aDaemonThatPromotes() throws Exception {
    acme.enqueueAll(tasks("k").stream().map(task -> task.after(Duration.ofMillis(1))).toList());
    killWhileItWaits(RING, DaemonProcess.class, SEVEN_DAYS);
    assertThat(count(TaskState.WAITING) + count(TaskState.PENDING)).isEqualTo(TASKS);

    try (RotationDaemon successor = daemon()) {
      Await.until("all are pending", () -> count(TaskState.PENDING), TASKS);
      assertThat(successor.isLeading()).isTrue();
    }
    runPending();
    assertCounts(Map.of(TaskState.DONE, (long) TASKS));
  }

  @Test
  void aWorkerThatSettlesFailures() throws Exception {
    acme.enqueueAll(tasks("fail"));
    killWhileItWaits(WAITING, WorkerProcess.class, LEASE_MILLIS);
    try (RotationDaemon reaper = daemon()) {
      Await.until("all are pending again", () -> count(TaskState.PENDING), TASKS);
      assertThat(reaper.isLeading()).isTrue();
    }
    runPending();
    assertThat(count(TaskState.FAILED) + count(TaskState.LOST)).isBetween(1L, (long) TASKS);
    assertThat(count(TaskState.DONE)).isEqualTo(TASKS);
  }

  private void killWhileItWaits(List<String> tables, Class<?> main, String argument)
      throws Exception {
    try (Connection holder = database.connect()) {
      holder.setAutoCommit(false);
      String list = String.join(", ", tables);
      holder.createStatement().execute("lock table " + list + " in access exclusive mode");
      try (JavaProcess process = JavaProcess.start(main, database.jdbcUrl(), argument)) {
        Await.until("it waits for a table", () -> database.number(WAITERS) > 0);
        process.kill();
      }
      holder.rollback();
    }
    Await.until("its sessions are gone", () -> database.number(SESSIONS), 0);
  }

  private static List<NewTask> tasks(String kind) {
    return Collections.nCopies(TASKS, NewTask.of(kind, "{}"));
  }

  private RotationDaemon daemon() {
    return RotationDaemon.builder(rota).tick(Duration.ofMillis(50)).start();
  }

  private void runPending() {
    try (Batch batch = acme.claim(3 * TASKS)) {
      batch.settle();
    }
  }

  private long count(TaskState state) {
    return acme.history().scanStates().get(state);
  }

  private void assertCounts(Map<TaskState, Long> expected) {
    for (TaskState state : TaskState.values()) {
      assertThat(count(state)).as(state.toString()).isEqualTo(expected.getOrDefault(state, 0L));
    }
  }
}
