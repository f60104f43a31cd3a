package dev.rota.internal;

import dev.rota.NewTask;
import dev.rota.Schedule;

/** Whether two schedules are one and the same, or at least of the same times. */
final class Definitions {

  private Definitions() {}

  static boolean equal(Schedule one, Schedule other) {
    return sameTimes(one, other)
        && equal(one.task(), other.task())
        && one.missed() == other.missed()
        && one.overlapping() == other.overlapping()
        && one.jitter().equals(other.jitter());
  }

  static boolean sameTimes(Schedule one, Schedule other) {
    return one.cron().equals(other.cron())
        && one.period().equals(other.period())
        && one.zone().equals(other.zone())
        && one.startingAt().equals(other.startingAt());
  }

  private static boolean equal(NewTask one, NewTask other) {
    return one.kind().equals(other.kind())
        && one.payload().equals(other.payload())
        && one.parentId().equals(other.parentId())
        && one.priority() == other.priority();
  }
}
