package dev.rota.schedule;

import dev.rota.history.History;
import java.time.Instant;
import java.util.Optional;

/**
 * A schedule of a tenant with its present state. Times are by the clock of the database.
 *
 * @param schedule the schedule as added
 * @param paused whether it was paused
 * @param nextRunAt the time at which its next task will be enqueued, jitter included; empty while
 *     it is paused
 * @param lastRun its last task, enqueued by its timetable or by {@link Schedules#run}; empty before
 *     the first
 * @param skipped how many occurrences enqueued nothing, because the last task had not ended or the
 *     time was missed
 */
public record ScheduleInfo(
    Schedule schedule,
    boolean paused,
    Optional<Instant> nextRunAt,
    Optional<Run> lastRun,
    long skipped) {

  /**
   * A task of a schedule.
   *
   * @param taskId its id, for {@link History#scanAttempts(long)}
   * @param enqueuedAt the time at which it was enqueued
   */
  public record Run(long taskId, Instant enqueuedAt) {}
}
