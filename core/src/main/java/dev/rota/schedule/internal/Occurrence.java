package dev.rota.schedule.internal;

import dev.rota.schedule.MissedRuns;
import dev.rota.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The action for a schedule whose time has come.
 *
 * @param tasks how many tasks to enqueue
 * @param next its next occurrence
 */
record Occurrence(int tasks, Appointment next) {

  /** The most missed occurrences that one step makes up for; more take several steps. */
  static final int MOST_TASKS = 100;

  /** The lateness up to which an occurrence is not missed. */
  static final Duration PATIENCE = Duration.ofMinutes(1);

  /**
   * The time of an occurrence.
   *
   * @param plannedAt the time by the timetable
   * @param runAt the planned time with a random delay
   */
  record Appointment(Instant plannedAt, Instant runAt) {

    /** Adds a random delay that ends before the following occurrence begins. */
    static Appointment of(Schedule schedule, Instant plannedAt) {
      if (schedule.jitter().isZero()) {
        return new Appointment(plannedAt, plannedAt);
      }
      Instant following = Timetable.of(schedule, plannedAt).after(plannedAt);
      Duration distance = Duration.between(plannedAt, following);
      Duration longest = schedule.jitter().compareTo(distance) < 0 ? schedule.jitter() : distance;
      long delay = ThreadLocalRandom.current().nextLong(micros(longest));
      return new Appointment(plannedAt, plannedAt.plus(delay, ChronoUnit.MICROS));
    }

    private static long micros(Duration duration) {
      return Math.max(1, duration.dividedBy(ChronoUnit.MICROS.getDuration()));
    }
  }

  /** Computes the action for a schedule whose appointment has come. */
  static Occurrence of(Schedule schedule, Appointment due, Instant now) {
    Timetable timetable = Timetable.of(schedule, due.plannedAt());
    return schedule.missed() == MissedRuns.ALL
        ? all(schedule, timetable, due.plannedAt(), now)
        : latest(schedule, timetable, due, now);
  }

  private static Occurrence all(Schedule schedule, Timetable timetable, Instant due, Instant now) {
    int tasks = 0;
    Instant planned = due;
    while (!planned.isAfter(now) && tasks < MOST_TASKS) {
      tasks++;
      planned = timetable.after(planned);
    }
    return new Occurrence(tasks, Appointment.of(schedule, planned));
  }

  private static Occurrence latest(
      Schedule schedule, Timetable timetable, Appointment due, Instant now) {
    Instant last = timetable.last(due.plannedAt(), now);
    Instant expected = last.isAfter(due.runAt()) ? last : due.runAt();
    boolean missed = Duration.between(expected, now).compareTo(PATIENCE) > 0;
    int tasks = missed && schedule.missed() == MissedRuns.SKIP ? 0 : 1;
    return new Occurrence(tasks, Appointment.of(schedule, timetable.after(last)));
  }
}
