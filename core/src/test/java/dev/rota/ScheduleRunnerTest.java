package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.db.Database;
import dev.rota.internal.sql.Sql;
import dev.rota.schedule.MissedRuns;
import dev.rota.schedule.OverlappingRuns;
import dev.rota.schedule.Schedule;
import dev.rota.schedule.internal.ScheduleRow;
import dev.rota.schedule.internal.ScheduleRunner;
import dev.rota.testing.Faults;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the enqueues of due schedules, step by step. */
@RotaTest
@PostgresVersions({15, 18})
class ScheduleRunnerTest {

  private static final NewTask TASK = NewTask.of("report", "{}");
  private static final Schedule HOURLY = Schedule.every("hourly", Duration.ofHours(1), TASK);

  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  private Kernel kernel;
  private ScheduleRunner runner;

  @BeforeEach
  void open() {
    kernel = DefaultRota.kernelOf(fixture.rota());
    runner = DefaultRota.featuresOf(fixture.rota()).scheduleRunner();
  }

  @Test
  void nothingIsEnqueuedBeforeItsTime() {
    acme.schedules().add(HOURLY);
    assertThat(step()).isEmpty();
    assertThat(due(Set.of())).isEmpty();
    assertThat(pending()).isZero();
  }

  @Test
  void itsTaskIsEnqueuedAndTheNextTimeIsAPeriodAfterTheLast() throws SQLException {
    acme.schedules().add(HOURLY);
    passed("1 hour 5 minutes");
    String planned = value("planned_at");
    assertThat(step()).containsExactly(acme.number());
    assertThat(value("planned_at = '" + planned + "'::timestamptz + interval '1 hour'"))
        .isEqualTo("t");
    assertThat(value("run_at = planned_at and last_run_at < now()")).isEqualTo("t");
    assertThat(acme.claim(10).tasks()).extracting(Task::id).containsExactly(lastTask());
    assertThat(step()).isEmpty();
  }

  @Test
  void theNextTimeIsKnown() throws SQLException {
    assertThat(untilNext()).isEqualTo(ScheduleRunner.NEVER);
    acme.schedules().add(HOURLY);
    assertThat(Duration.ofNanos(untilNext()))
        .isBetween(Duration.ofMinutes(58), Duration.ofHours(1));
    acme.schedules().pause("hourly");
    assertThat(untilNext()).isEqualTo(ScheduleRunner.NEVER);
  }

  @Test
  void missedOccurrencesFollowTheirPolicy() throws SQLException {
    for (MissedRuns missed : MissedRuns.values()) {
      acme.schedules().add(HOURLY.missed(missed));
      passed("5 hours 30 minutes");
      step();
      assertThat(value("planned_at > now()")).isEqualTo("t");
      int expected = missed == MissedRuns.ALL ? 5 : missed == MissedRuns.ONCE ? 1 : 0;
      assertThat(pending()).as(missed.name()).isEqualTo(expected);
      assertThat(value("skipped")).isEqualTo(missed == MissedRuns.SKIP ? "1" : "0");
      acme.schedules().remove("hourly");
      acme.claim(10).settle();
    }
  }

  /** Both read the same occurrence; it is stored once. */
  @Test
  @Tag("exhaustive")
  void ofManyWhoActOnOneOccurrenceOneEnqueues() throws Exception {
    int actors = 4;
    CyclicBarrier start = new CyclicBarrier(actors);
    ExecutorService threads = Executors.newFixedThreadPool(actors);
    List<Rota> processes = new ArrayList<>();
    for (int i = 0; i < actors; i++) {
      processes.add(fixture.another());
    }
    for (int i = 0; i < 10; i++) {
      acme.schedules().add(Schedule.every("s" + i, Duration.ofHours(1), TASK));
    }
    try {
      for (int round = 1; round <= 20; round++) {
        passed("1 hour");
        List<Callable<Integer>> calls = new ArrayList<>();
        processes.forEach(each -> calls.add(() -> act(each, start)));
        for (Future<Integer> call : threads.invokeAll(calls)) {
          call.get();
        }
        assertThat(pending()).isEqualTo(10L * round);
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(fixture.number("select sum(version) from rota.schedule")).isEqualTo(200);
  }

  private static int act(Rota rota, CyclicBarrier start) throws Exception {
    Database database = DefaultRota.kernelOf(rota).database();
    ScheduleRunner own = DefaultRota.featuresOf(rota).scheduleRunner();
    List<ScheduleRow> due =
        database.transaction("look", session -> own.due(session, Set.of(), 100));
    start.await();
    return database.transaction("run", session -> own.run(session, due)).size();
  }

  @Test
  void whatSomebodyChangedMeanwhileIsLeftAlone() throws SQLException {
    acme.schedules().add(HOURLY);
    for (Runnable change :
        List.<Runnable>of(
            () -> acme.schedules().pause("hourly"),
            () -> acme.schedules().add(HOURLY.jitter(Duration.ofMinutes(1))),
            () -> acme.schedules().remove("hourly"),
            () -> fixture.rota().tenants().close("acme"))) {
      acme.schedules().add(HOURLY);
      acme.schedules().resume("hourly");
      passed("1 hour");
      List<ScheduleRow> due = due(Set.of());
      assertThat(due).hasSize(1);
      change.run();
      assertThat(run(due)).isEmpty();
      assertThat(pending()).isZero();
    }
  }

  @Test
  void pausedOnesAndThoseOfClosedTenantsAreNotDue() throws SQLException {
    acme.schedules().add(HOURLY);
    passed("3 hours");
    acme.schedules().pause("hourly");
    assertThat(due(Set.of())).isEmpty();
    acme.schedules().resume("hourly");
    passed("3 hours");
    fixture.rota().tenants().close("acme");
    assertThat(due(Set.of())).isEmpty();
    fixture.rota().tenants().reopen("acme");
    assertThat(step()).hasSize(1);
    assertThat(pending()).isEqualTo(1);
  }

  @Test
  void theLongestDueComeFirstWithoutThoseThatFailedLately() throws SQLException {
    for (int i = 0; i < 4; i++) {
      acme.schedules().add(Schedule.every("s" + i, Duration.ofHours(1 + i), TASK));
    }
    passed("5 hours");
    List<ScheduleRow> due = due(Set.of());
    assertThat(due)
        .extracting(row -> row.schedule().name())
        .containsExactly("s0", "s1", "s2", "s3");
    assertThat(due(Set.of(due.get(0).id(), due.get(2).id())))
        .extracting(row -> row.schedule().name())
        .containsExactly("s1", "s3");
    List<ScheduleRow> two =
        kernel.database().transaction("look", session -> runner.due(session, Set.of(), 2));
    assertThat(two).hasSize(2);
  }

  @Test
  void rollbackMovesNothing() throws SQLException {
    acme.schedules().add(HOURLY);
    passed("1 hour");
    List<String> before = fixture.texts("select s::text from rota.schedule s");
    fixture.execute("alter table rota_1.task_init_1_0 add check (kind <> 'report')");
    assertThatThrownBy(this::step).isInstanceOf(DatabaseException.class);
    assertThat(fixture.texts("select s::text from rota.schedule s")).isEqualTo(before);
    fixture.execute("alter table rota_1.task_init_1_0 drop constraint task_init_1_0_kind_check");
    assertThat(step()).hasSize(1);
    assertThat(pending()).isEqualTo(1);
  }

  @Test
  void occurrencesOfManyTenantsAreStoredTogether() throws SQLException {
    for (int i = 0; i < 5; i++) {
      Tenant tenant = fixture.rota().tenants().register("t" + i);
      for (int j = 0; j < 3; j++) {
        tenant.schedules().add(Schedule.every("s" + j, Duration.ofHours(1), TASK));
      }
    }
    passed("1 hour");
    assertThat(step()).containsExactly(2, 3, 4, 5, 6);
    for (int i = 0; i < 5; i++) {
      assertThat(fixture.rota().tenants().get("t" + i).claim(10).tasks()).hasSize(3);
    }
  }

  @Test
  void largePayloadsGoInStatementsOfABoundedSize() throws SQLException {
    Faults faults = new Faults();
    Rota large = fixture.observed(faults, settings -> settings.payloadLimit(1 << 20));
    NewTask task = NewTask.of("report", "x".repeat(1 << 20));
    Schedule hourly = Schedule.every("hourly", Duration.ofHours(1), task);
    large.tenants().get("acme").schedules().add(hourly.missed(MissedRuns.ALL));
    passed("9 hours 30 minutes");
    kernel = DefaultRota.kernelOf(large);
    runner = DefaultRota.featuresOf(large).scheduleRunner();
    assertThat(step()).containsExactly(acme.number());
    Map<TaskState, Long> counts = acme.history().scanStates();
    assertThat(counts.get(TaskState.PENDING) + counts.get(TaskState.WAITING)).isEqualTo(9);
    assertThat(faults.count("enqueue") + faults.count("enqueue delayed")).isEqualTo(2);
  }

  @Test
  void startsBesideALastTaskThatHasNotEnded() throws SQLException {
    acme.schedules().add(HOURLY);
    for (int i = 1; i <= 3; i++) {
      passed("1 hour");
      step();
      assertThat(pending()).isEqualTo(i);
    }
  }

  @Test
  void skipsWhileTheLastTaskHasNotEnded() throws SQLException {
    acme.schedules().add(HOURLY.overlapping(OverlappingRuns.SKIP).missed(MissedRuns.ALL));
    passed("4 hours");
    assertThat(starts()).as("the first").isTrue();
    assertThat(pending()).as("only one of those that were missed").isEqualTo(1);
    assertThat(starts()).as("pending").isFalse();
    try (Batch batch = acme.claim(1)) {
      assertThat(starts()).as("running").isFalse();
      batch.fail(batch.tasks().get(0), "not yet", Duration.ZERO);
      batch.settle();
    }
    assertThat(starts()).as("waiting for another attempt").isFalse();
    Waiting.intoRing(fixture, acme.number());
    assertThat(starts()).as("pending again").isFalse();
    try (Batch released = acme.claim(1)) {
      assertThat(released.tasks()).hasSize(1);
    }
    assertThat(starts()).as("handed back").isFalse();
    acme.claim(1).settle();
    assertThat(value("skipped")).isEqualTo("5");
    assertThat(starts()).as("done").isTrue();
    try (Batch batch = acme.claim(1)) {
      batch.dead(batch.tasks().get(0), "never");
      batch.settle();
    }
    assertThat(starts()).as("dead").isTrue();
  }

  /**
   * The row of the ledger is open; what happened to single tasks of the batch stands in history.
   */
  @Test
  @Tag("exhaustive")
  void anOpenBatchThatIsDoneWithTheTaskDoesNotHoldItUp() throws SQLException {
    acme.schedules().add(HOURLY.overlapping(OverlappingRuns.SKIP));
    passed("1 hour");
    assertThat(starts()).isTrue();
    acme.enqueue(NewTask.of("other", "{}"));
    Batch open = acme.claim(10);
    assertThat(open.tasks()).hasSize(2);
    assertThat(starts()).as("running in the open batch").isFalse();
    long first = lastTask();
    for (int state : new int[] {1, 3, 2, 5}) {
      fixture.execute(
          "update rota_1.task_hist_1_1 set state = " + state + " where id = " + lastTask());
      assertThat(starts()).as("over in the open batch, state " + state).isTrue();
      assertThat(lastTask()).isNotEqualTo(first);
      fixture.execute("delete from rota_1.task_init_1_0");
      fixture.execute("update rota.schedule set last_task_id = " + first);
    }
    open.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "vacuum full rota_1.task_hist_1_1",
        "alter table rota_1.task_hist_1_1 set unlogged",
        "alter table rota_1.task_hist_1_1 add column mine float default random()"
      })
  @Tag("exhaustive")
  void skipsWhileTheLastTaskRunsThoughItsRowHasMoved(String rewrite) throws SQLException {
    acme.enqueueAll(Collections.nCopies(600, NewTask.of("other", "{}")));
    try (Batch batch = acme.claim(600)) {
      batch.tasks().forEach(task -> batch.dead(task, "no luck"));
      batch.settle();
    }
    acme.schedules().add(HOURLY.overlapping(OverlappingRuns.SKIP));
    passed("1 hour");
    assertThat(starts()).isTrue();
    acme.enqueueAll(Collections.nCopies(600, NewTask.of("other", "{}")));
    Batch running = acme.claim(601);
    assertThat(starts()).as("running").isFalse();
    fixture.execute(rewrite);
    assertThat(starts()).as("running, though its row has moved").isFalse();
    fixture.execute("delete from rota_1.task_hist_1_1 where id = " + lastTask());
    assertThatExceptionOfType(RotaException.class)
        .isThrownBy(this::starts)
        .withMessageContaining("tenant 'acme' (1)")
        .withMessageContaining("batch " + running.id() + " has 601 tasks")
        .withMessageContaining("holds 600 of them");
  }

  @Test
  void aTaskWhoseSegmentIsGoneHasEnded() throws SQLException {
    acme.schedules().add(HOURLY.overlapping(OverlappingRuns.SKIP));
    fixture.execute("update rota.schedule set last_task_id = 7, last_run_at = now()");
    passed("1 hour");
    assertThat(starts()).isTrue();
  }

  @Test
  void whatIsDueIsFoundByItsIndex() throws SQLException {
    fixture.execute(
        "insert into rota.schedule (tenant, name, period, zone, kind, payload, missed, overlapping,"
            + " jitter, planned_at, run_at) select 1, n, '1 h', 'UTC', 'k', '{}', 'once', 'start',"
            + " '0', now() + n * interval '1 s', now() + n * interval '1 s'"
            + " from generate_series(100, 10100) n");
    fixture.execute("analyze rota.schedule");
    var tables = kernel.tables();
    String due =
        Sql.named("due_schedules")
            .on("schedules", tables.schedules(), "tenants", tables.tenants())
            .replace("?::bigint[]", "'{}'::bigint[]")
            .replace("limit ?", "limit 1000");
    String next = Sql.named("next_schedule").on("schedules", tables.schedules());
    for (String sql : List.of(due, next)) {
      assertThat(fixture.texts("explain " + sql))
          .anyMatch(line -> line.contains("using schedule_due"))
          .noneMatch(line -> line.contains("Seq Scan on schedule"));
    }
  }

  /** Whether one occurrence enqueues a task. */
  private boolean starts() throws SQLException {
    long before = pending();
    if (fixture.number("select count(*) from rota.schedule where run_at <= now()") == 0) {
      passed("1 hour");
    }
    step();
    return pending() > before;
  }

  private Collection<Integer> step() {
    return run(due(Set.of()));
  }

  private List<ScheduleRow> due(Set<Long> avoided) {
    return kernel.database().transaction("look", session -> runner.due(session, avoided, 100));
  }

  private Collection<Integer> run(List<ScheduleRow> due) {
    return kernel.database().transaction("run", session -> runner.run(session, due));
  }

  private long untilNext() {
    return kernel.database().transaction("look", runner::next).nanos();
  }

  /** As if so much time had gone by. */
  private void passed(String interval) throws SQLException {
    fixture.execute(
        "update rota.schedule set planned_at = planned_at - interval '%1$s',".formatted(interval)
            + " run_at = run_at - interval '%1$s'".formatted(interval));
  }

  private long pending() {
    return acme.history().scanStates().get(TaskState.PENDING);
  }

  private long lastTask() throws SQLException {
    return fixture.number("select last_task_id from rota.schedule");
  }

  private String value(String expression) throws SQLException {
    return fixture.texts("select " + expression + " from rota.schedule").get(0);
  }
}
