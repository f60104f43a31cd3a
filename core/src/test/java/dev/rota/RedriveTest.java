package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.control.Redrive;
import dev.rota.control.TaskFilter;
import dev.rota.history.ErrorGroup;
import dev.rota.history.HistoryFilter;
import dev.rota.internal.text.ErrorFingerprint;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests groups of errors, and the redrive of dead tasks, on the oldest and the newest server. */
@RotaTest
@PostgresVersions({15, 18})
class RedriveTest {

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void errorsAreGroupedByText() {
    die("mail", "too slow", 3);
    die("mail", "no such address", 1);
    die("sms", "too slow", 2);
    fail("mail", "too slow");
    List<ErrorGroup> groups = acme.history().scanErrorGroups(HistoryFilter.all());
    assertThat(groups).extracting(ErrorGroup::error).containsExactly("too slow", "no such address");
    assertThat(groups.get(0).attempts()).isEqualTo(6);
    assertThat(groups.get(0).dead()).isEqualTo(5);
    ErrorGroup.Period period = groups.get(0).period();
    assertThat(period.last()).isAfterOrEqualTo(period.first());
    assertThat(acme.history().scanAttempts(groups.get(0).exampleTaskId()).get(0).error())
        .contains("too slow");

    assertThat(acme.history().scanErrorGroups(HistoryFilter.all().kind("sms")))
        .extracting(ErrorGroup::attempts)
        .containsExactly(2L);
    assertThat(acme.history().scanErrorGroups(HistoryFilter.all().states(TaskState.FAILED)))
        .singleElement()
        .satisfies(group -> assertThat(group.dead()).isZero());
    assertThat(acme.history().scanErrorGroups(HistoryFilter.all().limit(1))).hasSize(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> acme.history().scanErrorGroups(HistoryFilter.all().after("1_2")))
        .withMessageContaining("no pages");
  }

  @Test
  void aDeadTaskRunsAgainWithAllItsAttempts() throws Exception {
    long id = acme.enqueue(NewTask.of("mail", "{}").withParent(5));
    runUntilDead(1);
    assertThat(acme.control().redrive(Redrive.all())).isEqualTo(1);
    assertThat(acme.history().scanAttempts(id))
        .extracting(Attempt::state)
        .containsExactly(TaskState.FAILED, TaskState.FAILED, TaskState.PENDING);
    assertThat(acme.control().redrive(Redrive.all())).isZero();
    runUntilDead(1);
    assertThat(acme.history().scanAttempts(id))
        .extracting(attempt -> attempt.state() + " " + attempt.number())
        .containsExactly("FAILED 1", "FAILED 2", "FAILED 1", "DEAD 2");
    assertThat(acme.control().redrive(Redrive.all())).isEqualTo(1);
    try (Batch batch = acme.claim(1)) {
      assertThat(batch.tasks().get(0).parentId()).hasValue(5);
      batch.settle();
    }
    assertThat(acme.history().scanAttempts(id).get(4).state()).isEqualTo(TaskState.DONE);
  }

  @Test
  void errorsOfOneFingerprintAreRedrivenWhateverTheirTextsHold() {
    for (int order = 0; order < 5; order++) {
      die("mail", "IllegalStateException: no order " + order, 2);
      die("sms", "IllegalStateException: no order " + order, 1);
    }
    die("mail", "IllegalStateException: no route to 10.0.0.1", 3);
    Redrive what =
        Redrive.all()
            .kind("mail")
            .fingerprint(ErrorFingerprint.of("IllegalStateException: no order 17").hash());
    assertThat(acme.control().redrive(what.dryRun())).isEqualTo(10);
    assertThat(acme.control().redrive(what.error("IllegalStateException: no order 3").dryRun()))
        .isEqualTo(2);
    assertThat(acme.control().redrive(what)).isEqualTo(10);
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.PENDING, 10L)
        .containsEntry(TaskState.DEAD, 8L);
    assertThat(acme.control().redrive(what)).isZero();
  }

  @Test
  @Tag("exhaustive")
  void progressIsToldAndEndsTheRest() throws SQLException {
    die("mail", "too slow", 5);
    fixture.execute(
        "update rota.segment set sealed_at = now() where tenant = 1 and sealed_at is null");
    List<Long> told = new ArrayList<>();
    assertThat(acme.control().redrive(Redrive.all().dryRun(), told::add)).isEqualTo(5);
    assertThat(told).last().isEqualTo(5L);
    fixture.execute(
        "insert into rota_1.task_hist_1_1 (id, batch_id, created_at, attempt, state, kind, payload)"
            + " select 1000000 + n, 0, now(), 1, 3, 'many', repeat('x', 1000)"
            + " from generate_series(1, 50000) n");
    Redrive many = Redrive.all().kind("many");
    long some = acme.control().redrive(many, tasks -> tasks == 0);
    assertThat(some).isPositive().isLessThan(50_000);
    assertThat(acme.control().redrive(many.dryRun())).isEqualTo(50_000 - some);
    assertThat(acme.control().cancel(TaskFilter.all().kind("many"), "no", tasks -> tasks == 0))
        .isPositive()
        .isLessThanOrEqualTo(some);
    assertThat(acme.control().redrive(many)).isEqualTo(50_000 - some);
  }

  @Test
  void conditionsAddUp() throws SQLException {
    List<Long> mails = die("mail", "too slow", 4);
    List<Long> texts = die("sms", "too slow", 2);
    die("sms", "odd", 3);
    long done = acme.enqueue(NewTask.of("mail", "{}"));
    acme.claim(1).settle();
    Redrive slow = Redrive.all().error("too slow");

    assertThat(acme.control().redrive(slow.dryRun())).isEqualTo(6);
    assertThat(acme.control().redrive(slow.kind("sms").dryRun())).isEqualTo(2);
    assertThat(
            acme.control()
                .redrive(slow.ids(List.of(mails.get(1), texts.get(0), done, -1L)).dryRun()))
        .isEqualTo(2);
    assertThat(acme.control().redrive(Redrive.all().ids(List.of()))).isZero();
    Instant now = databaseTime();
    assertThat(acme.control().redrive(Redrive.all().diedFrom(now).dryRun())).isZero();
    assertThat(acme.control().redrive(Redrive.all().diedBefore(now).dryRun())).isEqualTo(9);
    assertThat(acme.history().scanStates()).containsEntry(TaskState.DEAD, 9L);

    assertThat(acme.control().redrive(slow.kind("mail").diedBefore(now))).isEqualTo(4);
    assertThat(acme.claim(10).tasks())
        .extracting(Task::id)
        .containsExactlyInAnyOrderElementsOf(mails);
    assertThat(acme.history().scanStates()).containsEntry(TaskState.DEAD, 5L);
  }

  @Test
  void spreadTasksWaitForPartsOfTheTime() throws SQLException {
    die("mail", "too slow", 200);
    assertThat(acme.control().redrive(Redrive.all().spreadOver(Duration.ofHours(10))))
        .isEqualTo(200);
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.WAITING, 200L)
        .containsEntry(TaskState.FAILED, 200L);
    assertThat(
            fixture.number(
                "select count(distinct run_at) from rota_1.task_wait_1 where attempt = 0"
                    + " and run_at between now() - interval '1 min' and now() + interval '10 h'"))
        .isGreaterThan(190);
    assertThat(
            fixture.number(
                "select count(*) from rota_1.task_wait_1 where run_at > now() + interval '5 h'"))
        .isBetween(50L, 150L);
  }

  @Test
  @Tag("exhaustive")
  void moreThanOneStepIsWorkedThrough() throws SQLException {
    fixture.execute(
        """
        insert into rota_1.task_hist_1_1 (id, batch_id, created_at, finished_at, attempt, state, kind, payload)
        select n, 1, now(), now(), 1, 3, 'mail', '' from generate_series(1, 500000) n""");
    assertThat(fixture.number("select pg_relation_size('rota_1.task_hist_1_1') / 8192"))
        .isGreaterThan(4_096);
    assertThat(acme.control().redrive(Redrive.all())).isEqualTo(500_000);
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.PENDING, 500_000L)
        .containsEntry(TaskState.DEAD, 0L);
  }

  @Test
  void callersThatRaceRunEachTaskOnce() throws Exception {
    die("mail", "too slow", 1_000);
    int callers = 4;
    ExecutorService threads = Executors.newFixedThreadPool(callers);
    try {
      CyclicBarrier start = new CyclicBarrier(callers);
      List<Future<Long>> counts = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        Tenant own = fixture.another().tenants().get("acme");
        counts.add(
            threads.submit(
                () -> {
                  start.await(30, TimeUnit.SECONDS);
                  return own.control().redrive(Redrive.all());
                }));
      }
      long sum = 0;
      for (Future<Long> count : counts) {
        sum += count.get(60, TimeUnit.SECONDS);
      }
      assertThat(sum).isEqualTo(1_000);
    } finally {
      threads.shutdownNow();
    }
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 1_000L);
  }

  @Test
  void aStepThatFailsChangesNothingAndCanBeRepeated() {
    die("mail", "too slow", 10);
    Faults faults = new Faults();
    faults.after("redrive").loseAnswer();
    Tenant watched = fixture.observed(faults).tenants().get("acme");
    assertThatExceptionOfType(DatabaseException.class)
        .isThrownBy(() -> watched.control().redrive(Redrive.all()))
        .withMessageContaining("redrive tasks of tenant 'acme'");
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DEAD, 10L)
        .containsEntry(TaskState.PENDING, 0L);
    assertThat(watched.control().redrive(Redrive.all())).isEqualTo(10);
  }

  @Test
  void aSegmentThatWasDroppedHoldsNothing() throws SQLException {
    die("mail", "too slow", 2);
    fixture.execute("insert into rota.segment (tenant, seq) values (1, 77)");
    assertThat(acme.control().redrive(Redrive.all().dryRun())).isEqualTo(2);
    assertThat(acme.control().redrive(Redrive.all())).isEqualTo(2);
  }

  @Test
  void aClosedTenantRefuses() {
    die("mail", "too slow", 2);
    fixture.rota().tenants().close("acme");
    assertThat(acme.control().redrive(Redrive.all().dryRun())).isEqualTo(2);
    assertThatExceptionOfType(TenantClosedException.class)
        .isThrownBy(() -> acme.control().redrive(Redrive.all()))
        .withMessageContaining("acme");
    assertThat(acme.history().scanStates()).containsEntry(TaskState.DEAD, 2L);
  }

  @Test
  void theSpreadHasLimits() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Redrive.all().spreadOver(Duration.ofSeconds(-1)))
        .withMessageContaining("spreadOver is PT-1S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Redrive.all().spreadOver(Redrive.LONGEST_SPREAD.plusNanos(1)));
  }

  private Instant databaseTime() throws SQLException {
    String text =
        fixture
            .texts("select to_char(now() at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US')")
            .get(0);
    return OffsetDateTime.parse(text + "Z").toInstant();
  }

  private List<Long> die(String kind, String error, int count) {
    List<Long> ids = acme.enqueueAll(Collections.nCopies(count, NewTask.of(kind, "{}")));
    try (Batch batch = acme.claim(count)) {
      batch.forEach(task -> batch.dead(task, error));
      batch.settle();
    }
    return ids;
  }

  private void fail(String kind, String error) {
    acme.enqueue(NewTask.of(kind, "{}"));
    try (Batch batch = acme.claim(1)) {
      batch.fail(batch.tasks().get(0), error, Duration.ofHours(1));
      batch.settle();
    }
  }

  private void runUntilDead(int tasks) throws Exception {
    try (Worker worker =
        fixture
            .rota()
            .worker()
            .retry(RetryPolicy.fixed(2, Duration.ZERO))
            .handle(
                "mail",
                task -> {
                  throw new IllegalStateException("no");
                })
            .start()) {
      Await.until("failed", () -> worker.statistics().failed(), tasks);
      Waiting.intoRing(fixture, acme.number());
      Await.until("dead", () -> worker.statistics().dead(), tasks);
    }
  }
}
