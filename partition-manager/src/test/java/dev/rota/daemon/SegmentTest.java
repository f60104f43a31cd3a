package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.segment;
import static dev.rota.daemon.DaemonFixture.tasks;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Attempt;
import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.control.Redrive;
import dev.rota.control.TaskFilter;
import dev.rota.daemon.internal.DaemonBuilder;
import dev.rota.history.HistoryFilter;
import dev.rota.history.RecentAttempts;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@RotaTest
class SegmentTest {

  @Given private DaemonFixture fixture;
  @Given private Tenant acme;

  @Test
  void usedSegmentIsSealedAndTheNextOneTakesOver() throws Exception {
    run(acme, 3);
    RotationDaemon daemon = fixture.daemon(settings -> settings.segmentBytes(0));
    Await.until("a segment", () -> daemon.statistics().segments().opened(), 1);
    assertThat(fixture.texts("select sealed_at is not null from rota.segment order by seq"))
        .containsExactly("t", "f");
    assertThat(fixture.tenant(acme, "current_segment")).isEqualTo("2");
    Await.until(
        "claims go to the new segment",
        () -> {
          run(acme, 2);
          return fixture.number("select count(*) from " + segment(acme, 2)) > 0;
        });
    long rows =
        fixture.number("select count(*) from " + segment(acme, 1))
            + fixture.number("select count(*) from " + segment(acme, 2));
    assertThat(acme.history().scanStates()).containsEntry(TaskState.DONE, rows);
  }

  @Test
  void smallSegmentIsNotSealedBeforeItsAge() throws Exception {
    run(acme, 3);
    RotationDaemon daemon = fixture.daemon(settings -> settings.segmentAge(Duration.ofHours(1)));
    Await.atLeast("rotations without a segment", () -> daemon.statistics().rotations(), 1);
    assertThat(fixture.number("select count(*) from rota.segment")).isEqualTo(1);
    fixture.execute("update rota.segment set opened_at = opened_at - interval '1 hour'");
    Await.until("the segment is old", () -> daemon.statistics().segments().opened(), 1);
    assertThat(fixture.texts("select sealed_at is not null from rota.segment order by seq"))
        .containsExactly("t", "f");
  }

  @Test
  void sealedSegmentIsDroppedAndCounted() throws Exception {
    run(acme, 3);
    RotationDaemon daemon =
        fixture.daemon(settings -> settings.segmentBytes(0).keepHistory(Duration.ZERO));
    Await.until("the segment is dropped", () -> daemon.statistics().segments().dropped(), 1);
    assertThat(fixture.text("select rows from rota.segment where seq = 1")).isEqualTo("3");
    assertThat(fixture.text("select to_regclass('" + segment(acme, 1) + "')")).isEqualTo("null");
    assertThat(acme.history().scanStates().getOrDefault(TaskState.DONE, 0L)).isZero();
    run(acme, 2);
    assertThat(acme.history().scanStates()).containsEntry(TaskState.DONE, 2L);
  }

  @Test
  @Tag("exhaustive")
  void largeSegmentIsCountedInSteps() throws Exception {
    run(acme, 3);
    // Five rows a block, as the claim would not make them so fast.
    fixture.execute(
        "insert into %s select id, batch_id, created_at, parent_id, finished_at, attempt, state, kind"
                .formatted(segment(acme, 1))
            + ", repeat('x', 1500), error from %s, generate_series(1, 15000)"
                .formatted(segment(acme, 1)));
    Faults calls = new Faults();
    RotationDaemon daemon =
        fixture.daemon(
            fixture.observed(calls),
            settings -> settings.segmentBytes(0).keepHistory(Duration.ZERO));
    Await.until("the segment is dropped", () -> daemon.statistics().segments().dropped(), 1);
    assertThat(fixture.text("select rows from rota.segment where seq = 1")).isEqualTo("45003");
    assertThat(calls.count("sum up segment")).isGreaterThanOrEqualTo(3);
  }

  @Test
  @Tag("exhaustive")
  void tenantKeepsItsHistoryAsItsPolicySays() throws Exception {
    Tenant other = fixture.rota().tenants().register("other");
    run(acme, 3);
    run(other, 3);
    acme.history().changeRetention(policy -> policy.keepHistory(Duration.ofDays(1)));
    RotationDaemon daemon =
        fixture.daemon(settings -> settings.segmentBytes(0).keepHistory(Duration.ofSeconds(1)));
    Await.until("the other's segment is dropped", () -> isGone(segment(other, 1)));
    assertThat(isGone(segment(acme, 1))).isFalse();
    acme.history().changeRetention(policy -> policy.keepHistory(Duration.ZERO));
    Await.until("this one as well", () -> isGone(segment(acme, 1)));
    Await.until("both are counted", () -> daemon.statistics().segments().dropped(), 2);
  }

  @Test
  void segmentsAreSealedInTimeForThePolicy() throws Exception {
    Tenant other = fixture.rota().tenants().register("other");
    Tenant plain = fixture.rota().tenants().register("without a policy");
    for (Tenant tenant : List.of(acme, other, plain)) {
      run(tenant, 3);
    }
    fixture.execute("update rota.segment set opened_at = opened_at - interval '7 minutes'");
    // It would be the first.
    fixture.execute(
        "update rota.tenant set lane_rotated_at[0] = rotated_at - interval '1 hour' where number = "
            + plain.number());
    acme.history().changeRetention(policy -> policy.keepHistory(Duration.ofHours(1)));
    other.history().changeRetention(policy -> policy.keepHistory(Duration.ofHours(2)));
    // Neither a period nor the age of a segment comes to an end meanwhile.
    RotationDaemon daemon = fixture.daemon(settings -> settings.rotateEvery(Duration.ofDays(7)));
    Await.until("the segment is sealed", () -> daemon.statistics().segments().opened(), 1);
    assertThat(fixture.tenant(acme, "current_segment")).isEqualTo("2");
    assertThat(fixture.tenant(other, "current_segment")).isEqualTo("1");
    assertThat(fixture.tenant(plain, "current_segment")).isEqualTo("1");
  }

  @Test
  @Tag("exhaustive")
  void openBatchKeepsItsSegmentAndItsLedger() throws Exception {
    acme.enqueueAll(tasks("k", 2));
    Batch held = acme.claim(2);
    RotationDaemon daemon = fixture.daemon(SegmentTest::keepingNothing);
    Await.atLeast("a new segment", () -> daemon.statistics().segments().opened(), 1);
    Await.atLeast("a new ledger", () -> daemon.statistics().segments().ledgerOpened(), 1);
    Faults calls = new Faults();
    daemon.close();
    fixture.daemon(fixture.observed(calls), SegmentTest::keepingNothing);
    calls.awaitMore("find retirable segments", 4);
    calls.awaitMore("list ledger segments", 4);
    assertThat(fixture.number("select count(*) from " + segment(acme, 1))).isEqualTo(2);
    assertThat(held.settle().settled()).isEqualTo(2);
    Await.until("both are dropped", () -> isGone(segment(acme, 1)) && isGone("rota.task_batch_1"));
  }

  @Test
  @Tag("exhaustive")
  void ledgerTurnsOverAndItsViewFollows() throws Exception {
    RotationDaemon daemon = fixture.daemon(settings -> settings.keepLedger(Duration.ofSeconds(2)));
    Await.until(
        "two segments of the ledger are dropped",
        () -> {
          run(acme, 1);
          return daemon.statistics().segments().ledgerDropped() >= 2;
        });
    assertThat(isGone("rota.task_batch_1")).isTrue();
    long registered = fixture.number("select count(*) from rota.ledger_segment");
    long existing =
        fixture.number(
            "select count(*) from pg_class where relkind = 'r' and relname like 'task\\_batch\\_%'");
    assertThat(existing).isEqualTo(registered);
    assertThat(fixture.number("select count(*) from rota.task_batch where closed_at is null"))
        .isZero();
    Map<TaskState, Long> counts = acme.history().scanStates();
    assertThat(counts.getOrDefault(TaskState.RUNNING, 0L)).isZero();
    assertThat(counts.get(TaskState.DONE))
        .isEqualTo(fixture.number("select count(*) from " + segment(acme, 1)));
  }

  @Test
  void claimerThatDoesNotKnowOfTheDropTriesAgain() throws Exception {
    Rota stale = fixture.another(builder -> builder.registryRefresh(Duration.ofMinutes(1)));
    Tenant there = stale.tenants().get("acme");
    run(there, 1);
    fixture.daemon(SegmentTest::keepingNothing);
    Await.until(
        "segment and ledger that it knows are gone",
        () -> isGone(segment(acme, 1)) && isGone("rota.task_batch_1"));
    run(there, 4);
    assertThat(acme.history().scanStates()).containsEntry(TaskState.DONE, 4L);
  }

  @Test
  void readerOfHistoryHoldsUpOnlyItsTenant() throws Exception {
    Tenant other = fixture.rota().tenants().register("other");
    run(acme, 1);
    run(other, 1);
    Connection reader = fixture.begin();
    DaemonFixture.execute(
        reader, "select * from rota_%1$d.task_hist_%1$d".formatted(acme.number()));
    fixture.daemon(settings -> settings.segmentBytes(0));
    Await.until(
        "the other has a segment", () -> fixture.tenant(other, "current_segment").equals("2"));
    assertThat(fixture.tenant(acme, "current_segment")).isEqualTo("1");
    reader.rollback();
    Await.until("this one as well", () -> fixture.tenant(acme, "current_segment").equals("2"));
  }

  private static RotationDaemon.Builder keepingNothing(RotationDaemon.Builder settings) {
    return settings.segmentBytes(0).keepHistory(Duration.ZERO).keepLedger(Duration.ZERO);
  }

  private static void run(Tenant tenant, int count) {
    tenant.enqueueAll(tasks("k", count));
    try (Batch batch = tenant.claim(count)) {
      assertThat(batch.tasks()).hasSize(count);
      assertThat(batch.settle().settled()).isEqualTo(count);
    }
  }

  private boolean isGone(String table) throws Exception {
    return fixture.text("select to_regclass('" + table + "')").equals("null");
  }

  @Test
  void requestsToTasksThatHaveEndedAreForgotten() throws Exception {
    acme.enqueueAll(tasks("k", 2));
    Batch ended = acme.claim(1);
    Batch open = acme.claim(1);
    assertThat(acme.control().requestCancel(TaskFilter.all(), "stop")).isEqualTo(2);
    assertThat(ended.settle().settled()).isEqualTo(1);
    String left = "select count(*) from rota.cancel_request";
    assertThat(fixture.number(left)).isEqualTo(2);
    fixture.daemon(settings -> settings);
    Await.until("one is forgotten", () -> fixture.number(left), 1);
    assertThat(fixture.number("select task from rota.cancel_request"))
        .isEqualTo(open.tasks().get(0).id());
    open.close();
    assertThat(fixture.number(left)).isZero();
  }

  @Test
  void statisticsAreForgottenInTime() throws Exception {
    fixture.execute(
        "insert into rota.statistic select 1, date_trunc('hour', now()) - n * interval '1 hour', 1, 0,"
            + " 0, 0, 0, 0, 0, 'k' from generate_series(0, 25000) n");
    fixture.daemon(
        settings -> DaemonBuilder.trustingTheClock(settings.keepStatistics(Duration.ofDays(2))));
    String left = "select count(*) from rota.statistic";
    Await.until("old ones are gone", () -> fixture.number(left) <= 49);
    assertThat(fixture.number(left)).isGreaterThanOrEqualTo(48);
  }

  @Test
  void sumsAndErrorsAreForgottenInTime() throws Exception {
    fixture.execute(
        """
        insert into rota.kind_statistic
        select date_trunc('hour', now()) - n * interval '1 hour', 1, 0, 0, 0, 0, 0, 0, '{}', '{}', 'k'
          from generate_series(0, 99) n;
        insert into rota.error_statistic
        select date_trunc('hour', now()) - n * interval '1 hour', 7, 1, 0, now(), 1, 1, 'k', 'e'
          from generate_series(0, 99) n;
        insert into rota.tenant_error
        select 1, date_trunc('hour', now()) - n * interval '1 hour', 7, 1, 0, now(), 1, 'k'
          from generate_series(0, 99) n""");
    fixture.daemon(
        settings -> DaemonBuilder.trustingTheClock(settings.keepStatistics(Duration.ofDays(2))));
    for (String table : List.of("kind_statistic", "error_statistic", "tenant_error")) {
      String left = "select count(*) from rota." + table;
      Await.until("old ones are gone", () -> fixture.number(left) <= 49);
      assertThat(fixture.number(left)).isGreaterThanOrEqualTo(48);
    }
  }

  @Test
  void theAuditIsForgottenAfterFourHundredDays() throws Exception {
    fixture.execute(
        "insert into rota.audit (begun_at, actor, action, about)"
            + " select now() - n * interval '1 day', 'joe', 'pause', '' from generate_series(0, 499) n");
    fixture.daemon(DaemonBuilder::trustingTheClock);
    String left = "select count(*) from rota.audit";
    Await.until("old ones are gone", () -> fixture.number(left) <= 401);
    assertThat(fixture.number(left)).isGreaterThanOrEqualTo(400);
  }

  @Test
  @Tag("exhaustive")
  void largeSegmentGetsItsIndexesWhenItIsSealedAndSettled() throws Exception {
    run(acme, 3);
    Batch open = claimOf(acme);
    fixture.execute(
        "insert into %s (id, batch_id, created_at, attempt, state, kind, payload)"
                .formatted(segment(acme, 1))
            + " select 1000000 + n, 0, now(), 1, case when n % 50000 = 0 then 3 else 1 end, 'many',"
            + " repeat('x', 50) from generate_series(1, 200000) n");
    RotationDaemon daemon = fixture.daemon(settings -> settings.segmentBytes(0));
    Await.until("a segment is sealed", () -> daemon.statistics().segments().opened(), 1);
    String indexes =
        "select count(*) from pg_index where indrelid = '%s'::regclass".formatted(segment(acme, 1));
    assertThat(fixture.number(indexes)).as("a batch is open").isZero();
    open.close();
    Await.until("indexes", () -> fixture.number(indexes), 2);
    assertThat(fixture.number("select count(*) from rota.segment where indexed_at is not null"))
        .isEqualTo(1);
    HistoryFilter dead = HistoryFilter.all().states(TaskState.DEAD);
    RecentAttempts recent = acme.history().recent(dead, Duration.ofMinutes(1));
    assertThat(recent.attempts())
        .extracting(Attempt::taskId)
        .containsExactly(1_200_000L, 1_150_000L, 1_100_000L, 1_050_000L);
    assertThat(recent.nextCursor()).isEmpty();
    assertThat(acme.control().redrive(Redrive.all())).isEqualTo(4);
    assertThat(acme.history().recent(dead, Duration.ofMinutes(1)).attempts()).isEmpty();
    assertThat(plan("select * from %s where id = 1050000".formatted(segment(acme, 1))))
        .contains("Bitmap Index Scan");
  }

  @Test
  void smallSegmentGetsNoIndexes() throws Exception {
    run(acme, 3);
    fixture.daemon(settings -> settings.segmentBytes(0));
    Await.until(
        "it was looked at",
        () -> fixture.number("select count(*) from rota.segment where indexed_at is not null"),
        1);
    assertThat(
            fixture.number(
                "select count(*) from pg_index where indrelid = '%s'::regclass"
                    .formatted(segment(acme, 1))))
        .isZero();
  }

  private static Batch claimOf(Tenant tenant) {
    tenant.enqueue(NewTask.of("open", "{}"));
    return tenant.claim(1);
  }

  private String plan(String query) throws Exception {
    return String.join("\n", fixture.texts("explain " + query));
  }

  @Test
  void emptySegmentIsNeverSealed() throws Exception {
    acme.enqueue(NewTask.of("k", "{}"));
    RotationDaemon daemon =
        fixture.daemon(settings -> settings.segmentBytes(0).segmentAge(Duration.ofSeconds(1)));
    Await.atLeast("a rotation", () -> daemon.statistics().rotations(), 1);
    assertThat(daemon.statistics().segments().opened()).isZero();
  }
}
