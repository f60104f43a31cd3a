package dev.rota.schedule;

import dev.rota.history.History;
import java.time.Instant;
import java.util.Optional;

/**
 * A schedule of a tenant, and where it stands. Times are by the clock of the database.
 *
 * @param schedule what was added
 * @param paused whether it was paused
 * @param nextRunAt when its next task will be enqueued, jitter included; empty while it is paused
 * @param lastRun its last task, whether its time had come or {@link Schedules#run} was called;
 *     empty before the first
 * @param skipped how often its time came and nothing was enqueued, since the last task had not
 *     ended or the time was missed
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
   * @param enqueuedAt when it was enqueued
   */
  public record Run(long taskId, Instant enqueuedAt) {}
}
