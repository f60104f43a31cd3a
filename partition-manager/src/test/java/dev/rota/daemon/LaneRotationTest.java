package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.insertion;
import static dev.rota.daemon.DaemonFixture.slot;
import static dev.rota.daemon.DaemonFixture.tasks;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.PostgresVersions;
import dev.rota.RotaTest;
import dev.rota.Task;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the daemon's work for tenants with several lanes, on the oldest and newest server. */
@RotaTest
@PostgresVersions({15, 18})
class LaneRotationTest {

  private static final String TRUNCATED =
      "select count(*) from pg_class where relname like 'task\\_init\\_%\\__'"
          + " and relkind = 'r' and relfilenode <> oid";

  private static final NewTask TASK = NewTask.of("k", "{}");

  @Given private DaemonFixture fixture;
  @Given private Tenant acme;

  @Test
  @Tag("exhaustive")
  void aLaneThatStandsStillHoldsUpNoOther() throws Exception {
    acme.addLane(1);
    acme.addLane(2);
    acme.enqueueAll(List.of(TASK, TASK.priority(1), TASK.priority(2)));
    fixture.execute(insertion(acme, 4, "late", 1));
    RotationDaemon daemon = fixture.daemon(fixture.rota(), settings -> settings);
    Await.until("the other two lanes rotate", () -> laneSlots().equals("1 3 7"));
    Await.until(
        "this one says why not",
        () ->
            fixture
                .tenant(acme, "postponed_reason")
                .startsWith("lane 1: not drained: slot 4 still holds tasks"));
    acme.enqueue(TASK.priority(2));
    assertThat(fixture.number("select count(*) from " + slot(acme, 7))).isEqualTo(1);
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).hasSize(5);
      batch.settle();
    }
    Await.until("it rotates when it is drained", () -> laneSlots().contains(" 4 "));
    Await.atLeast("they are counted", () -> daemon.statistics().rotations(), 3);
  }

  @Test
  @Tag("exhaustive")
  void rotationOfLanesUnderLoadLosesNothingAndRunsNothingTwice() throws Exception {
    fixture.daemon(DaemonFixture::quickRing);
    Map<Long, Integer> runs = new ConcurrentHashMap<>();
    Worker worker =
        fixture.closeLater(
            fixture
                .another()
                .worker()
                .batchSize(50)
                .handle("k", task -> runs.merge(task.id(), 1, Integer::sum))
                .start());
    ExecutorService producers = Executors.newFixedThreadPool(2);
    AtomicBoolean enough = new AtomicBoolean();
    List<Future<List<Long>>> futures = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Tenant tenant = fixture.another().tenants().get("acme");
      futures.add(producers.submit(() -> produce(tenant, runs, enough)));
    }
    Await.until(
        "all slots of all three lanes were emptied",
        Await.LONG,
        () -> fixture.number(TRUNCATED),
        9);
    enough.set(true);
    List<Long> ids = new ArrayList<>();
    for (Future<List<Long>> future : futures) {
      ids.addAll(future.get());
    }
    producers.shutdownNow();
    worker.close();
    assertThat(runs.keySet()).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(runs.values()).containsOnly(1);
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DONE, (long) ids.size())
        .containsEntry(TaskState.PENDING, 0L);
  }

  /** No faster than the worker can follow: a slot that is not drained is not emptied. */
  private static List<Long> produce(Tenant tenant, Map<Long, Integer> runs, AtomicBoolean enough)
      throws Exception {
    List<Long> ids = new ArrayList<>();
    while (!enough.get()) {
      List<NewTask> some = new ArrayList<>(tasks("k", 20));
      tasks("k", 20).forEach(task -> some.add(task.priority(5)));
      tasks("k", 20).forEach(task -> some.add(task.priority(-5)));
      List<Long> burst = new ArrayList<>(tenant.enqueueAll(some));
      burst.add(tenant.enqueue(TASK.priority(5)));
      Await.until("they have run", () -> runs.keySet().containsAll(burst));
      ids.addAll(burst);
    }
    return ids;
  }

  @Test
  void whatIsDueGoesIntoItsLane() throws Exception {
    fixture.daemon(settings -> settings.rotateEvery(Duration.ofDays(1)));
    Duration soon = Duration.ofMillis(50);
    acme.enqueueAll(List.of(TASK.after(soon), TASK.priority(4).after(soon)));
    acme.schedules().add(Schedule.every("tick", Duration.ofHours(1), TASK.priority(6)));
    assertThat(acme.schedules().run("tick")).isPositive();
    Await.until("all are pending", () -> acme.history().scanStates().get(TaskState.PENDING), 3);
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::priority).containsExactly(6, 4, 0);
      batch.tasks().forEach(task -> batch.fail(task, "again", Duration.ofMillis(1)));
      batch.settle();
    }
    Await.until(
        "all are pending again", () -> acme.history().scanStates().get(TaskState.PENDING), 3);
    assertThat(acme.claim(10).tasks()).extracting(Task::priority).containsExactly(6, 4, 0);
  }

  @Test
  @Tag("exhaustive")
  void tasksThatNobodyRunsStayInTheirLane() throws Exception {
    acme.addLane(3);
    fixture.execute(insertion(acme, 4, "unknown", 1_200));
    fixture.daemon(DaemonFixture::quickRing);
    fixture.closeLater(fixture.rota().worker().handle("k", task -> {}).start());
    Await.until(
        "the lane rotates",
        () -> {
          acme.enqueueAll(tasks("k", 20).stream().map(task -> task.priority(3)).toList());
          return laneSlots().endsWith(" 4");
        });
    assertThat(
            fixture.text(
                "select count(*) from rota_1.task_init_1 where kind = 'unknown' and priority = 3"))
        .isEqualTo("1200");
  }

  private String laneSlots() throws Exception {
    return fixture.tenant(acme, "array_to_string(lane_slots, ' ')");
  }
}
