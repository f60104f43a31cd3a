package dev.rota.schedule.internal;

import dev.rota.NewTask;
import dev.rota.internal.payload.StoredText;
import dev.rota.schedule.MissedRuns;
import dev.rota.schedule.OverlappingRuns;
import dev.rota.schedule.Schedule;
import dev.rota.schedule.ScheduleInfo;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code rota.schedule}.
 *
 * @param id its number
 * @param tenant the number of its tenant
 * @param schedule the schedule as added
 * @param state its present state
 * @param past its runs so far
 */
public record ScheduleRow(long id, int tenant, Schedule schedule, State state, Past past) {

  /**
   * The present state of a schedule.
   *
   * @param paused whether it was paused
   * @param appointment its next occurrence
   * @param version raised by every change
   * @param readAt the time at which this row was read, by the clock of the database
   */
  record State(boolean paused, Occurrence.Appointment appointment, long version, Instant readAt) {}

  /** The runs of a schedule so far. */
  record Past(Optional<ScheduleInfo.Run> lastRun, long skipped) {}

  /** Reads a row whose columns are in the order of the fragment {@code schedule_columns}. */
  public static ScheduleRow read(ResultSet row) throws SQLException {
    return new ScheduleRow(
        row.getLong(1),
        row.getInt(2),
        schedule(row),
        state(row),
        new Past(run(row), row.getLong(19)));
  }

  /** What users see of it. */
  public ScheduleInfo info() {
    return new ScheduleInfo(
        schedule,
        state.paused(),
        state.paused() ? Optional.empty() : Optional.of(state.appointment().runAt()),
        past.lastRun(),
        past.skipped());
  }

  private static Schedule schedule(ResultSet row) throws SQLException {
    Schedule schedule =
        timed(row)
            .zone(row.getString(6))
            .missed(MissedRuns.valueOf(row.getString(11).toUpperCase(Locale.ROOT)))
            .overlapping(OverlappingRuns.valueOf(row.getString(12).toUpperCase(Locale.ROOT)))
            .jitter(Duration.of(row.getLong(13), ChronoUnit.MICROS));
    @Nullable Instant start = instant(row, 7);
    return start == null ? schedule : schedule.startingAt(start);
  }

  private static Schedule timed(ResultSet row) throws SQLException {
    String name = row.getString(3);
    @Nullable String cron = row.getString(4);
    return cron == null
        ? Schedule.every(name, Duration.of(row.getLong(5), ChronoUnit.MICROS), task(row))
        : Schedule.cron(name, cron, task(row));
  }

  private static NewTask task(ResultSet row) throws SQLException {
    String stored = row.getString(9);
    NewTask task =
        NewTask.of(row.getString(8), StoredText.payload(stored))
            .priority(row.getInt(22))
            .withHeaders(StoredText.headers(stored));
    long parent = row.getLong(10);
    return row.wasNull() ? task : task.withParent(parent);
  }

  private static State state(ResultSet row) throws SQLException {
    return new State(
        row.getBoolean(14),
        new Occurrence.Appointment(present(row, 15), present(row, 16)),
        row.getLong(20),
        present(row, 21));
  }

  private static Optional<ScheduleInfo.Run> run(ResultSet row) throws SQLException {
    @Nullable Instant at = instant(row, 17);
    return at == null ? Optional.empty() : Optional.of(new ScheduleInfo.Run(row.getLong(18), at));
  }

  static Instant present(ResultSet row, int column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
    @Nullable OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }
}
