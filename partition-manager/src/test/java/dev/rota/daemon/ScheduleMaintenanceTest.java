package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.slot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Attempt;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.PostgresVersions;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.schedule.MissedRuns;
import dev.rota.schedule.Schedule;
import dev.rota.schedule.ScheduleInfo;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.Faults.Moment;
import dev.rota.testing.ScriptedFault;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that the daemon enqueues due occurrences once, whatever breaks meanwhile. */
@RotaTest
@PostgresVersions({15, 18})
class ScheduleMaintenanceTest {

  @Given private DaemonFixture fixture;
  @Given private Tenant acme;

  /** So that all tasks stand in one slot. */
  private static RotationDaemon.Builder withoutRotation(RotationDaemon.Builder settings) {
    return settings.rotateEvery(Duration.ofDays(7));
  }

  private static Schedule every(String name, Duration period) {
    return Schedule.every(name, period, NewTask.of(name, "{}"));
  }

  @Test
  @Tag("exhaustive")
  void eachOccurrenceIsEnqueuedInItsTurnAndNoneEarly() throws Exception {
    fixture.daemon(ScheduleMaintenanceTest::withoutRotation);
    acme.schedules().add(every("tick", Duration.ofSeconds(1)).missed(MissedRuns.ALL));
    Await.atLeast("five are there", () -> tasks("tick"), 5);
    acme.schedules().pause("tick");
    long count = tasks("tick");
    assertThat(
            fixture.number(
                "select count(*) from (select created_at, row_number() over (order by id) as turn"
                    + " from "
                    + slot(acme, 0)
                    + ") t cross join rota.schedule s"
                    + " where t.created_at < s.created_at + turn * interval '1 s'"))
        .as("early ones")
        .isZero();
    assertThat(
            fixture.number(
                "select round(extract(epoch from planned_at - created_at))::int - 1"
                    + " from rota.schedule"))
        .isEqualTo(count);
  }

  @Test
  void oneThatIsAddedWhileTheDaemonSleepsIsFoundInTime() throws Exception {
    RotationDaemon daemon =
        fixture.daemon(settings -> withoutRotation(settings).tick(Duration.ofMinutes(1)));
    Await.until("it leads", daemon::isLeading);
    add("late", "1 hour");
    Await.until("it is found", () -> tasks("late"), 1);
  }

  @Test
  void aWorkerRunsWhatACronExpressionSays() throws Exception {
    CountDownLatch ran = new CountDownLatch(1);
    fixture.closeLater(fixture.rota().worker().handle("minutely", task -> ran.countDown()).start());
    fixture.daemon(settings -> settings);
    acme.schedules().add(Schedule.cron("m", "* * * * *", NewTask.of("minutely", "{}")));
    fixture.execute(
        "update rota.schedule set planned_at = planned_at - interval '1 min',"
            + " run_at = run_at - interval '1 min'");
    assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
    ScheduleInfo info = acme.schedules().find("m").orElseThrow();
    Await.until("it is settled", () -> isDone(info.lastRun().orElseThrow().taskId()));
    assertThat(
            fixture.text("select date_trunc('minute', planned_at) = planned_at from rota.schedule"))
        .isEqualTo("t");
  }

  @Test
  @Tag("exhaustive")
  void nothingOfAClosedTenantIsEnqueuedUntilItIsOpenAgain() throws Exception {
    Tenant other = fixture.rota().tenants().register("other");
    fixture.rota().tenants().close("acme");
    add("hourly", "3 hours");
    other.schedules().add(every("hourly", Duration.ofHours(1)));
    Faults calls = new Faults();
    fixture.daemon(fixture.observed(calls), ScheduleMaintenanceTest::withoutRotation);
    calls.awaitMore("due schedules", 2);
    assertThat(tasks("hourly")).isZero();
    fixture.rota().tenants().reopen("acme");
    Await.until("it is made up for", () -> tasks("hourly"), 1);
  }

  @Test
  void removedTenantTakesItsSchedulesAlong() throws Exception {
    add("hourly", "1 hour");
    fixture.execute(
        "begin; drop schema rota_1 cascade; delete from rota.tenant where number = 1; commit");
    Tenant other = fixture.rota().tenants().register("other");
    other.schedules().add(every("mine", Duration.ofHours(1)));
    passed("mine", "1 hour");
    fixture.daemon(ScheduleMaintenanceTest::withoutRotation);
    Await.until("that of the other is served", () -> other.claim(1).tasks().size(), 1);
    assertThat(fixture.number("select count(*) from rota.schedule")).isEqualTo(1);
  }

  @Test
  @Tag("exhaustive")
  void oneScheduleInTroubleStopsNoOther() throws Exception {
    Tenant broken = fixture.rota().tenants().register("broken");
    broken.schedules().add(every("doomed", Duration.ofHours(1)));
    add("unreadable", "1 hour");
    add("sound", "1 hour");
    passed("doomed", "1 hour");
    fixture.execute(
        "update rota.schedule set zone = 'Nowhere/Land', cron = '0 3 * * *',"
            + " period = null where name = 'unreadable'");
    fixture.execute("drop table " + slot(broken, 0) + " cascade");
    fixture.daemon(ScheduleMaintenanceTest::withoutRotation);
    Await.until("the sound one is served", () -> tasks("sound"), 1);
    passed("sound", "1 hour");
    Await.until("and again", () -> tasks("sound"), 2);
    acme.schedules().add(every("unreadable", Duration.ofHours(1)));
    passed("unreadable", "1 hour");
    Await.until("the mended one is served", () -> tasks("unreadable"), 1);
    assertThat(fixture.text("select last_task_id from rota.schedule where name = 'doomed'"))
        .isEqualTo("null");
  }

  @Test
  @Tag("exhaustive")
  void twoDaemonsEnqueueOnceWhileTheLeadGoesToAndFro() throws Exception {
    fixture.daemon(ScheduleMaintenanceTest::withoutRotation);
    fixture.daemon(ScheduleMaintenanceTest::withoutRotation);
    add("hourly", "1 hour");
    for (int round = 1; round <= 15; round++) {
      int expected = round;
      Await.until("occurrence " + round, () -> tasks("hourly"), expected);
      passed("hourly", "1 hour");
      if (round % 3 == 0) {
        fixture.execute(
            "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted"
                + " and objid::bigint = 4294967295 and database ="
                + " (select oid from pg_database where datname = current_database())");
      }
    }
  }

  /** Each call of the transaction fails once, before it is sent and after it was answered. */
  @Test
  @Tag("exhaustive")
  void anOccurrenceIsEnqueuedOnceWhereverTheLeaderDies() throws Exception {
    Faults faults = new Faults();
    Rota observed = fixture.observed(faults);
    acme.schedules()
        .add(
            every("hourly", Duration.ofHours(1))
                .missed(MissedRuns.ALL)
                .startingAt(Instant.parse("2026-01-01T00:00:00Z")));
    RotationDaemon daemon = fixture.daemon(observed, ScheduleMaintenanceTest::withoutRotation);
    Await.until("it leads", daemon::isLeading);
    int occurrences = 0;
    for (String call : List.of("advance schedules", "enqueue", "commit")) {
      for (Moment moment : Moment.values()) {
        ScriptedFault broken = faults.at(moment, call).inTransactionOf("advance schedules").fail();
        passed("hourly", "1 hour");
        occurrences++;
        int expected = occurrences;
        String what = moment + " " + call;
        Await.until(what, () -> broken.isReached() && tasks("hourly") >= expected);
        Await.until(
            "it is moved on",
            () -> fixture.text("select run_at > now() from rota.schedule").equals("t"));
        assertThat(tasks("hourly")).as(what).isEqualTo(expected);
      }
    }
  }

  /**
   * A session that changes a schedule holds its row: the others are served, and it is served later.
   */
  @Test
  @Tag("exhaustive")
  void aLockedScheduleHoldsUpNobody() throws Exception {
    add("locked", "1 hour");
    add("free", "1 hour");
    Connection holder = fixture.begin();
    DaemonFixture.execute(
        holder, "update rota.schedule set version = version + 1 where name = 'locked'");
    fixture.daemon(ScheduleMaintenanceTest::withoutRotation);
    Await.until("the free one is served", () -> tasks("free"), 1);
    assertThat(tasks("locked")).isZero();
    holder.rollback();
    Await.until("the other one too", () -> tasks("locked"), 1);
  }

  @Test
  @Tag("exhaustive")
  void thousandsThatAreDueAtOnceAreAllServed() throws Exception {
    List<Tenant> tenants = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      tenants.add(fixture.rota().tenants().register("t" + i));
    }
    fixture.execute(
        "insert into rota.schedule (tenant, name, period, zone, kind, payload, missed, overlapping,"
            + " jitter, planned_at, run_at) select t.number, 'n' || n, '1 hour', 'UTC', 'mass', '{}',"
            + " 'once', 'start', '0', now(), now() from rota.tenant t, generate_series(1, 60) n"
            + " where t.number > 1");
    fixture.daemon(ScheduleMaintenanceTest::withoutRotation);
    Await.until(
        "all are served",
        () -> fixture.number("select count(*) from rota.schedule where run_at <= now()"),
        0);
    for (Tenant tenant : tenants) {
      assertThat(fixture.number("select count(*) from " + slot(tenant, 0))).isEqualTo(60);
    }
  }

  private void add(String name, String late) throws SQLException {
    acme.schedules().add(every(name, Duration.ofHours(1)));
    passed(name, late);
  }

  /** As if so much time had gone by. */
  private void passed(String name, String interval) throws SQLException {
    fixture.execute(
        "update rota.schedule set planned_at = planned_at - interval '%1$s', run_at = run_at - interval '%1$s' where name = '%2$s'"
            .formatted(interval, name));
  }

  private long tasks(String kind) throws SQLException {
    return fixture.number("select count(*) from " + slot(acme, 0) + " where kind = '" + kind + "'");
  }

  private boolean isDone(long task) {
    List<Attempt> attempts = acme.history().scanAttempts(task);
    return !attempts.isEmpty() && attempts.get(0).finishedAt().isPresent();
  }
}
