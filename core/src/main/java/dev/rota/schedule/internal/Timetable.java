package dev.rota.schedule.internal;

import dev.rota.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Computes the occurrences of a schedule. Immutable and thread-safe. */
interface Timetable {

  /**
   * Returns the first occurrence after a time.
   *
   * @throws IllegalArgumentException if there is none
   */
  Instant after(Instant time);

  /**
   * Creates the timetable of a schedule.
   *
   * @param beat an occurrence, from which a period counts
   * @throws IllegalArgumentException if its expression or zone cannot be parsed; the message says
   *     why
   */
  static Timetable of(Schedule schedule, Instant beat) {
    @Nullable Duration period = schedule.period().orElse(null);
    return period == null
        ? CronTimetable.parse(schedule.cron().orElseThrow(), schedule.zone())
        : new PeriodTimetable(beat, period);
  }

  /** Returns the first occurrence of a schedule that is added, changed or resumed now. */
  static Instant first(Schedule schedule, Instant now) {
    Instant start = schedule.startingAt().orElse(now);
    if (!start.isAfter(now)) {
      return of(schedule, start).after(now);
    }
    return schedule.period().isPresent()
        ? start
        : of(schedule, start).after(start.minus(1, ChronoUnit.MICROS));
  }

  /**
   * Returns the next occurrence of a schedule that keeps its beat.
   *
   * @param planned an occurrence, which may be one that is too far in the future
   */
  static Instant following(Schedule schedule, Instant planned, Instant now) {
    boolean begins = schedule.startingAt().filter(start -> start.isAfter(now)).isPresent();
    return begins ? first(schedule, now) : of(schedule, planned).after(now);
  }

  /**
   * Returns the last occurrence up to a time. It searches back from that time in growing steps, so
   * that a long absence costs no more than a short one.
   *
   * @param known an occurrence up to that time
   */
  default Instant last(Instant known, Instant until) {
    Duration window = Duration.ofMinutes(1);
    Instant from = until.minus(window);
    while (from.isAfter(known) && after(from).isAfter(until)) {
      window = window.multipliedBy(2);
      from = until.minus(window);
    }
    Instant last = from.isAfter(known) ? after(from) : known;
    for (Instant next = after(last); !next.isAfter(until); next = after(last)) {
      last = next;
    }
    return last;
  }
}
