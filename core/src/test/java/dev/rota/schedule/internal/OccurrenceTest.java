package dev.rota.schedule.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.schedule.MissedRuns;
import dev.rota.schedule.Schedule;
import dev.rota.schedule.internal.Occurrence.Appointment;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Tests periods, missed occurrences and random delays. */
class OccurrenceTest {

  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final Duration HOUR = Duration.ofHours(1);

  private static Schedule hourly(MissedRuns missed) {
    return Schedule.every("s", HOUR, NewTask.of("k", "{}")).missed(missed);
  }

  private static Occurrence step(Schedule schedule, Duration late) {
    return Occurrence.of(schedule, new Appointment(NOON, NOON), NOON.plus(late));
  }

  @Test
  void aPeriodKeepsItsBeatBeforeAndAfter() {
    Timetable timetable = new PeriodTimetable(NOON, HOUR);
    assertThat(timetable.after(NOON)).isEqualTo("2026-01-01T13:00:00Z");
    assertThat(timetable.after(NOON.minusNanos(1_000))).isEqualTo(NOON);
    assertThat(timetable.after(NOON.minus(HOUR.multipliedBy(3)))).isEqualTo("2026-01-01T10:00:00Z");
    assertThat(timetable.after(NOON.plusSeconds(3 * 3_600 + 1))).isEqualTo("2026-01-01T16:00:00Z");
    assertThat(timetable.last(NOON, NOON.plusSeconds(7_200))).isEqualTo("2026-01-01T14:00:00Z");
    assertThat(timetable.last(NOON, NOON)).isEqualTo(NOON);
  }

  @Test
  void theFirstOccurrenceIsAPeriodFromNowOrAtTheStart() {
    Schedule schedule = hourly(MissedRuns.ONCE);
    assertThat(Timetable.first(schedule, NOON)).isEqualTo("2026-01-01T13:00:00Z");
    assertThat(Timetable.first(schedule.startingAt(NOON.plusSeconds(10)), NOON))
        .isEqualTo("2026-01-01T12:00:10Z");
    assertThat(Timetable.first(schedule.startingAt(NOON.minusSeconds(10_000)), NOON))
        .isEqualTo("2026-01-01T12:13:20Z");
    assertThat(Timetable.first(schedule.startingAt(NOON), NOON)).isEqualTo("2026-01-01T13:00:00Z");
  }

  @Test
  void aCronExpressionMayStartAtItsStart() {
    Schedule daily = Schedule.cron("s", "0 12 * * *", NewTask.of("k", "{}"));
    Instant nextYear = Instant.parse("2027-01-01T12:00:00Z");
    assertThat(Timetable.first(daily, NOON)).isEqualTo("2026-01-02T12:00:00Z");
    assertThat(Timetable.first(daily.startingAt(nextYear), NOON)).isEqualTo(nextYear);
    assertThat(Timetable.first(daily.startingAt(nextYear.plusSeconds(1)), NOON))
        .isEqualTo("2027-01-02T12:00:00Z");
  }

  @Test
  void whatIsInTimeIsEnqueuedOnceUnderEachPolicy() {
    for (MissedRuns missed : MissedRuns.values()) {
      Occurrence step = step(hourly(missed), Duration.ofMillis(30));
      assertThat(step.tasks()).as(missed.name()).isEqualTo(1);
      assertThat(step.next().plannedAt()).isEqualTo("2026-01-01T13:00:00Z");
    }
  }

  @Test
  void missedOccurrencesFollowTheirPolicy() {
    Duration late = HOUR.multipliedBy(3).plusMinutes(30);
    assertThat(step(hourly(MissedRuns.SKIP), late).tasks()).isZero();
    assertThat(step(hourly(MissedRuns.ONCE), late).tasks()).isEqualTo(1);
    assertThat(step(hourly(MissedRuns.ALL), late).tasks()).isEqualTo(4);
    for (MissedRuns missed : MissedRuns.values()) {
      assertThat(step(hourly(missed), late).next().plannedAt()).isEqualTo("2026-01-01T16:00:00Z");
    }
  }

  @Test
  void anOccurrenceIsMissedAfterAMinute() {
    Schedule skipping = hourly(MissedRuns.SKIP);
    assertThat(step(skipping, Duration.ofMinutes(1)).tasks()).isEqualTo(1);
    assertThat(step(skipping, Duration.ofMinutes(1).plusMillis(1)).tasks()).isZero();
    assertThat(step(skipping, HOUR.plusSeconds(59)).tasks()).isEqualTo(1);
    Appointment delayed = new Appointment(NOON, NOON.plusSeconds(600));
    assertThat(Occurrence.of(skipping, delayed, NOON.plusSeconds(659)).tasks()).isEqualTo(1);
    assertThat(Occurrence.of(skipping, delayed, NOON.plusSeconds(661)).tasks()).isZero();
  }

  @Test
  void manyMissedOccurrencesAreMadeUpForInSteps() {
    Schedule schedule = hourly(MissedRuns.ALL);
    Instant now = NOON.plus(HOUR.multipliedBy(249));
    Appointment due = new Appointment(NOON, NOON);
    int tasks = 0;
    int steps = 0;
    while (!due.runAt().isAfter(now)) {
      Occurrence step = Occurrence.of(schedule, due, now);
      tasks += step.tasks();
      due = step.next();
      steps++;
    }
    assertThat(tasks).isEqualTo(250);
    assertThat(steps).isEqualTo(3);
  }

  @Test
  void delaysVaryAndEndBeforeTheFollowingOccurrence() {
    Schedule schedule = hourly(MissedRuns.ONCE);
    Duration longest = Duration.ZERO;
    for (int i = 0; i < 1_000; i++) {
      Appointment brief = Appointment.of(schedule.jitter(Duration.ofMinutes(5)), NOON);
      assertThat(brief.plannedAt()).isEqualTo(NOON);
      assertThat(brief.runAt()).isBetween(NOON, NOON.plus(Duration.ofMinutes(5)));
      Appointment lengthy = Appointment.of(schedule.jitter(Duration.ofHours(20)), NOON);
      assertThat(lengthy.runAt()).isBetween(NOON, NOON.plus(HOUR).minusNanos(1_000));
      Duration delay = Duration.between(NOON, lengthy.runAt());
      longest = delay.compareTo(longest) > 0 ? delay : longest;
    }
    assertThat(longest).isGreaterThan(Duration.ofMinutes(30));
    assertThat(Appointment.of(schedule, NOON).runAt()).isEqualTo(NOON);
  }
}
