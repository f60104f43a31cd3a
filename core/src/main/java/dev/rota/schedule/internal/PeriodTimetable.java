package dev.rota.schedule.internal;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Computes occurrences at equal distances, before and after the beat. */
record PeriodTimetable(Instant beat, Duration period) implements Timetable {

  @Override
  public Instant after(Instant time) {
    long micros = period.dividedBy(ChronoUnit.MICROS.getDuration());
    long periods = Math.floorDiv(ChronoUnit.MICROS.between(beat, time), micros) + 1;
    return beat.plus(Math.multiplyExact(periods, micros), ChronoUnit.MICROS);
  }

  @Override
  public Instant last(Instant known, Instant until) {
    return after(until).minus(period);
  }
}
