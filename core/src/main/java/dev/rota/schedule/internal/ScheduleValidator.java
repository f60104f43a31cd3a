package dev.rota.schedule.internal;

import dev.rota.InvalidTaskException;
import dev.rota.NewTask;
import dev.rota.internal.config.RotaConfig;
import dev.rota.internal.enqueue.TaskInserts;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.text.SafeText;
import dev.rota.schedule.InvalidScheduleException;
import dev.rota.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Checks schedules before anything is sent. */
final class ScheduleValidator {

  private static final int NAME_LIMIT = 200;
  private static final Duration SHORTEST_PERIOD = Duration.ofSeconds(1);
  private static final Duration LONGEST_PERIOD = Duration.ofDays(3_650);
  private static final Duration LONGEST_JITTER = Duration.ofDays(1);
  private static final Instant EARLIEST_START = Instant.EPOCH;
  private static final Instant LATEST_START = Instant.EPOCH.plus(365L * 200, ChronoUnit.DAYS);

  private final TaskValidator tasks;

  ScheduleValidator(TaskValidator tasks) {
    this.tasks = tasks;
  }

  /** Checks a schedule, and returns the one to store. */
  Schedule check(TenantRef tenant, Schedule schedule) {
    try {
      checkName(schedule.name());
      checkTimes(schedule);
      return schedule.withTask(checkTask(schedule.task()));
    } catch (IllegalArgumentException | InvalidTaskException e) {
      throw new InvalidScheduleException(label(tenant, schedule.name()) + ": " + e.getMessage());
    }
  }

  private NewTask checkTask(NewTask given) {
    NewTask task = tasks.check(given);
    refuseKey(task);
    if (TaskInserts.isDelayed(task)) {
      throw new IllegalArgumentException(
          "its task has a time or a delay of its own; leave out runAt and after, the schedule says"
              + " when it runs");
    }
    return task;
  }

  private static void refuseKey(NewTask task) {
    if (task.key().isPresent()) {
      throw new IllegalArgumentException(
          "its task has a key; leave it out, overlap(OverlappingRuns.SKIP) keeps runs apart");
    }
  }

  /** The name of a schedule in messages. */
  static String label(TenantRef tenant, String name) {
    return "schedule '" + SafeText.of(name) + "' of " + tenant.label();
  }

  private static void checkName(String name) {
    int length = name.codePointCount(0, name.length());
    if (name.isBlank() || length > NAME_LIMIT) {
      throw new IllegalArgumentException(
          "name has " + length + " characters; it takes 1 to 200, not all of them blank");
    }
    if (TaskValidator.indexOfUnstorable(name) >= 0) {
      throw new IllegalArgumentException(
          "name has a NUL or a lone surrogate; remove it, PostgreSQL cannot store it");
    }
  }

  private static void checkTimes(Schedule schedule) {
    schedule
        .period()
        .ifPresent(period -> RotaConfig.within("period", period, SHORTEST_PERIOD, LONGEST_PERIOD));
    Duration unusedJitter =
        RotaConfig.within("jitter", schedule.jitter(), Duration.ZERO, LONGEST_JITTER);
    schedule.startingAt().ifPresent(ScheduleValidator::checkStart);
    Instant unusedOccurrence = Timetable.of(schedule, Instant.EPOCH).after(Instant.EPOCH);
  }

  private static void checkStart(Instant start) {
    if (start.isBefore(EARLIEST_START) || start.isAfter(LATEST_START)) {
      throw new IllegalArgumentException(
          "startingAt is " + start + "; allowed are " + EARLIEST_START + " to " + LATEST_START);
    }
  }
}
