package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.schedule.InvalidScheduleException;
import dev.rota.schedule.MissedRuns;
import dev.rota.schedule.OverlappingRuns;
import dev.rota.schedule.Schedule;
import dev.rota.schedule.ScheduleInfo;
import dev.rota.schedule.Schedules;
import dev.rota.schedule.UnknownScheduleException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Tests adding, reading and changing schedules, on the oldest and the newest server. */
@RotaTest
@PostgresVersions({15, 18})
class SchedulesTest {

  private static final NewTask TASK = NewTask.of("report", "{\"of\":\"day\"}");
  private static final Schedule NIGHTLY =
      Schedule.cron("nightly", "0 3 * * *", TASK).zone("Europe/Berlin");

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void whatWasAddedIsRead() {
    Instant start = Instant.parse("2031-02-03T04:05:06.123456789Z");
    Schedule full =
        Schedule.every("Åsa's every", Duration.ofSeconds(90), TASK.withParent(77))
            .startingAt(start)
            .missed(MissedRuns.ALL)
            .overlapping(OverlappingRuns.SKIP)
            .jitter(Duration.ofMillis(1_500));
    acme.schedules().add(full);
    acme.schedules().add(NIGHTLY);

    assertThat(acme.schedules().list())
        .extracting(info -> info.schedule().name())
        .containsExactly("nightly", "Åsa's every");
    ScheduleInfo info = acme.schedules().find("Åsa's every").orElseThrow();
    Schedule read = info.schedule();
    assertThat(read.period()).contains(Duration.ofSeconds(90));
    assertThat(read.cron()).isEmpty();
    assertThat(read.startingAt()).contains(Instant.parse("2031-02-03T04:05:06.123456Z"));
    assertThat(read.task().parentId()).hasValue(77);
    assertThat(read.task().payload()).isEqualTo(TASK.payload());
    assertThat(read.missed()).isEqualTo(MissedRuns.ALL);
    assertThat(read.overlapping()).isEqualTo(OverlappingRuns.SKIP);
    assertThat(read.jitter()).isEqualTo(Duration.ofMillis(1_500));
    assertThat(info.nextRunAt().orElseThrow()).isBetween(start, start.plusMillis(1_500));
    assertThat(info.paused()).isFalse();
    assertThat(info.lastRun()).isEmpty();
    assertThat(info.skipped()).isZero();
    assertThat(acme.schedules().find("other")).isEmpty();
  }

  @Test
  void theNextTimeIsByTheClockOfTheDatabase() throws SQLException {
    ScheduleInfo nightly = acme.schedules().add(NIGHTLY);
    ScheduleInfo often = acme.schedules().add(Schedule.every("often", Duration.ofHours(5), TASK));
    assertThat(texts("select extract(hour from run_at at time zone 'Europe/Berlin')", "nightly"))
        .isEqualTo("3");
    assertThat(texts("select run_at > now() and run_at <= now() + interval '25 h'", "nightly"))
        .isEqualTo("t");
    assertThat(texts("select run_at - created_at = interval '5 h'", "often")).isEqualTo("t");
    assertThat(often.nextRunAt()).isPresent();
    assertThat(nightly.nextRunAt().orElseThrow()).isEqualTo(nightly.nextRunAt().orElseThrow());
  }

  @Test
  void addingTheSameAgainChangesNothing() throws SQLException {
    Schedule often = Schedule.every("often", Duration.ofHours(5), TASK).jitter(Duration.ofHours(1));
    acme.schedules().add(often);
    acme.schedules().add(NIGHTLY);
    acme.schedules().pause("nightly");
    List<String> before = fixture.texts("select s::text from rota.schedule s order by id");
    ScheduleInfo again = acme.schedules().add(often);
    assertThat(acme.schedules().add(NIGHTLY).paused()).isTrue();
    assertThat(fixture.texts("select s::text from rota.schedule s order by id")).isEqualTo(before);
    assertThat(again).usingRecursiveComparison().isEqualTo(acme.schedules().find("often").get());
  }

  @Test
  void anotherPayloadKeepsTheTimeAndAnotherTimeDoesNot() {
    Instant next = acme.schedules().add(NIGHTLY).nextRunAt().orElseThrow();
    Schedule other = Schedule.cron("nightly", "0 3 * * *", NewTask.of("other", "{}"));
    ScheduleInfo changed = acme.schedules().add(other.zone("Europe/Berlin"));
    assertThat(changed.nextRunAt()).contains(next);
    assertThat(changed.schedule().task().kind()).isEqualTo("other");
    assertThat(acme.schedules().add(other.zone("+14:00")).nextRunAt().orElseThrow())
        .isNotEqualTo(next);
    ScheduleInfo period =
        acme.schedules().add(Schedule.every("nightly", Duration.ofMinutes(1), TASK));
    assertThat(period.schedule().cron()).isEmpty();
    assertThat(acme.schedules().list()).hasSize(1);
  }

  @Test
  void pausedOneGoesOnInItsBeat() throws SQLException {
    acme.schedules().add(Schedule.every("often", Duration.ofHours(5), TASK));
    String beat = texts("select planned_at", "often");
    acme.schedules().pause("often");
    acme.schedules().pause("often");
    assertThat(acme.schedules().find("often").orElseThrow().nextRunAt()).isEmpty();
    fixture.execute(
        "update rota.schedule set planned_at = planned_at - interval '12 h',"
            + " run_at = run_at - interval '12 h'");
    acme.schedules().resume("often");
    acme.schedules().resume("often");
    assertThat(acme.schedules().find("often").orElseThrow().paused()).isFalse();
    assertThat(texts("select planned_at = timestamptz '" + beat + "' - interval '2 h'", "often"))
        .isEqualTo("t");
    assertThat(texts("select planned_at > now()", "often")).isEqualTo("t");
  }

  @Test
  void triggeredOneIsEnqueuedAndKeepsItsTime() {
    Instant next = acme.schedules().add(NIGHTLY).nextRunAt().orElseThrow();
    long task = acme.schedules().run("nightly");
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::id).containsExactly(task);
      assertThat(batch.tasks()).extracting(Task::payload).containsExactly(TASK.payload());
      batch.settle();
    }
    ScheduleInfo info = acme.schedules().find("nightly").orElseThrow();
    assertThat(info.nextRunAt()).contains(next);
    assertThat(info.lastRun().orElseThrow().taskId()).isEqualTo(task);
    acme.schedules().pause("nightly");
    assertThat(acme.schedules().run("nightly")).isNotEqualTo(task);
  }

  @Test
  void closedTenantGetsSchedulesAndRunsNone() {
    fixture.rota().tenants().close("acme");
    acme.schedules().add(NIGHTLY);
    assertThatExceptionOfType(TenantClosedException.class)
        .isThrownBy(() -> acme.schedules().run("nightly"));
    assertThat(acme.schedules().find("nightly").orElseThrow().lastRun()).isEmpty();
  }

  @Test
  void removedOneIsGone() {
    acme.schedules().add(NIGHTLY);
    assertThat(acme.schedules().remove("nightly")).isTrue();
    assertThat(acme.schedules().remove("nightly")).isFalse();
    assertThat(acme.schedules().list()).isEmpty();
  }

  @Test
  void tenantsKeepTheirSchedulesApartAndTakeThemAlong() throws SQLException {
    Tenant other = fixture.rota().tenants().register("other");
    acme.schedules().add(NIGHTLY);
    assertThat(other.schedules().list()).isEmpty();
    other.schedules().add(NIGHTLY);
    acme.schedules().pause("nightly");
    assertThat(other.schedules().find("nightly").orElseThrow().paused()).isFalse();
    fixture.execute(
        "begin; drop schema rota_1 cascade; delete from rota.tenant where number = 1; commit");
    assertThat(fixture.texts("select tenant from rota.schedule")).containsExactly("2");
  }

  @Test
  void mistakesNameTenantScheduleAndOption() {
    Schedules schedules = acme.schedules();
    refused(NIGHTLY.zone("Berlin"), "zone is 'Berlin'");
    refused(Schedule.cron("nightly", "0 3 * *", TASK), "cron is '0 3 * *'");
    refused(Schedule.cron("nightly", "0 0 30 2 *", TASK), "never comes");
    refused(Schedule.every("nightly", Duration.ofMillis(999), TASK), "period is PT0.999S");
    refused(NIGHTLY.jitter(Duration.ofDays(2)), "jitter is PT48H");
    refused(NIGHTLY.startingAt(Instant.MAX), "startingAt is ");
    refused(Schedule.cron("nightly", "0 3 * * *", NewTask.of("a b", "")), "kind 'a b'");
    refused(Schedule.cron("nightly", "0 3 * * *", NewTask.of("a", "\0")), "payload has a NUL");
    refused(Schedule.cron("nightly", "0 3 * * *", TASK.after(Duration.ofHours(1))), "leave out");
    refused(Schedule.cron("nightly", "0 3 * * *", TASK.runAt(Instant.EPOCH)), "leave out");
    assertThatThrownBy(() -> schedules.add(Schedule.cron(" ", "0 3 * * *", TASK)))
        .isInstanceOf(InvalidScheduleException.class)
        .hasMessageContaining("name has 1 characters");
    assertThatThrownBy(() -> schedules.add(Schedule.cron("a\0", "0 3 * * *", TASK)))
        .hasMessageContaining("name has a NUL");
    assertThat(schedules.list()).isEmpty();
  }

  @Test
  void unknownOnesAreNamed() {
    Schedules schedules = acme.schedules();
    for (String name : List.of("nightly", "a\0b")) {
      for (Runnable call :
          List.<Runnable>of(
              () -> schedules.pause(name),
              () -> schedules.resume(name),
              () -> schedules.run(name))) {
        assertThatThrownBy(call::run)
            .isInstanceOf(UnknownScheduleException.class)
            .hasMessageContaining("'acme'");
      }
      assertThat(schedules.find(name)).isEmpty();
      assertThat(schedules.remove(name)).isFalse();
    }
  }

  @Test
  void runThatIsRolledBackLeavesNothing() throws SQLException {
    acme.schedules().add(NIGHTLY);
    fixture.execute("alter table rota.schedule add check (last_task_id is null)");
    assertThatExceptionOfType(DatabaseException.class)
        .isThrownBy(() -> acme.schedules().run("nightly"));
    assertThat(acme.claim(1).tasks()).isEmpty();
    assertThat(acme.schedules().find("nightly").orElseThrow().lastRun()).isEmpty();
  }

  /** As when all processes of a platform start, some of them with the newer definition. */
  @Test
  void manyProcessesAddTheSameAtOnce() throws Exception {
    Rota second = fixture.another();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int round = 0; round < 10; round++) {
        String name = "s" + round;
        List<Callable<ScheduleInfo>> calls = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
          Tenant tenant = i % 2 == 0 ? acme : second.tenants().get("acme");
          Schedule schedule = Schedule.cron(name, "0 " + i % 2 + " * * *", TASK);
          calls.add(() -> tenant.schedules().add(schedule));
        }
        for (Future<ScheduleInfo> call : threads.invokeAll(calls)) {
          assertThat(call.get().schedule().name()).isEqualTo(name);
        }
      }
      assertThat(acme.schedules().list()).hasSize(10);
    } finally {
      threads.shutdownNow();
    }
  }

  private void refused(Schedule schedule, String why) {
    assertThatThrownBy(() -> acme.schedules().add(schedule))
        .isInstanceOf(InvalidScheduleException.class)
        .hasMessageContaining("schedule 'nightly' of tenant 'acme' (1)")
        .hasMessageContaining(why);
  }

  private String texts(String select, String name) throws SQLException {
    return fixture.texts(select + " from rota.schedule where name = '" + name + "'").get(0);
  }
}
