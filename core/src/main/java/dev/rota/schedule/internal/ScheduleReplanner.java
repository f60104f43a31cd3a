package dev.rota.schedule.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.log.Logs;
import dev.rota.internal.maintenance.ClockWatch;
import dev.rota.internal.maintenance.LeaderTransactions;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Plans schedules anew that a clock of the database which was ahead has planned. Their next run
 * would come when that time comes. It reads all schedules, some in each step, ten minutes after the
 * daemon began to lead or the clock stepped. Used by one thread.
 */
public final class ScheduleReplanner {

  private static final Sql LIST_PLANNED_SCHEDULES = Sql.named("list_planned_schedules");
  private static final Sql REPLAN_SCHEDULES = Sql.named("replan_schedules");

  private static final Logger log = Logs.of(ScheduleReplanner.class);

  /** A clock that is behind is not followed until it has run evenly for this time. */
  private static final Duration TRIAL = Duration.ofMinutes(10);

  /** The most schedules of a step: the next time of a cron expression takes a while to compute. */
  private static final int TOGETHER = 250;

  private static final long NONE = Long.MAX_VALUE;

  private final LeaderTransactions transactions;
  private final RegistryTables tables;
  private final ClockWatch clock;
  private long readUpTo;

  private record Correction(ScheduleRow row, Occurrence.Appointment next) {}

  /** Creates the replanner of one leadership. */
  public ScheduleReplanner(
      LeaderTransactions transactions, RegistryTables tables, LongSupplier nanoTime) {
    this.transactions = transactions;
    this.tables = tables;
    this.clock = new ClockWatch(nanoTime);
  }

  /** Does a step if one is due, given the present time of the database. */
  void step(Instant now) throws SQLException {
    if (!clock.note(now).isZero()) {
      readUpTo = 0;
    }
    if (readUpTo != NONE && clock.even().compareTo(TRIAL) >= 0) {
      readUpTo = transactions.transaction("look for wrongly planned schedules", this::replanSome);
    }
  }

  /** Returns the last schedule that was read, or that none is left. */
  private long replanSome(Session session) throws SQLException {
    List<ScheduleRow> rows =
        session.run(
            BoundStatement.query(
                LIST_PLANNED_SCHEDULES.call(),
                LIST_PLANNED_SCHEDULES.on("schedules", tables.schedules()),
                ScheduleRow::read,
                readUpTo,
                TOGETHER));
    replan(session, rows.stream().flatMap(row -> correction(row).stream()).toList());
    return rows.size() < TOGETHER ? NONE : rows.get(rows.size() - 1).id();
  }

  /** The correction of a schedule that is planned for a later time than its next one. */
  private static Optional<Correction> correction(ScheduleRow row) {
    try {
      Instant planned = row.state().appointment().plannedAt();
      Instant next = Timetable.following(row.schedule(), planned, row.state().readAt());
      return planned.isAfter(next)
          ? Optional.of(new Correction(row, Occurrence.Appointment.of(row.schedule(), next)))
          : Optional.empty();
    } catch (RuntimeException e) {
      log.debug("the Rota daemon cannot check the time of {}", ScheduleRunner.label(row), e);
      return Optional.empty();
    }
  }

  private void replan(Session session, List<Correction> corrections) throws SQLException {
    if (corrections.isEmpty()) {
      return;
    }
    Set<Long> changed = new HashSet<>(session.run(replanning(corrections)));
    corrections.stream()
        .filter(each -> changed.contains(each.row().id()))
        .forEach(ScheduleReplanner::tell);
  }

  private static void tell(Correction made) {
    log.warn(
        "{} was to run at {}, as planned by a clock of the database that was ahead; the Rota daemon"
            + " runs it at {}",
        ScheduleRunner.label(made.row()),
        made.row().state().appointment().runAt(),
        made.next().runAt());
  }

  private BoundStatement<List<Long>> replanning(List<Correction> corrections) {
    return BoundStatement.query(
        REPLAN_SCHEDULES.call(),
        REPLAN_SCHEDULES.on("schedules", tables.schedules()),
        row -> row.getLong(1),
        corrections.stream().mapToLong(each -> each.row().id()).toArray(),
        corrections.stream().mapToLong(each -> each.row().state().version()).toArray(),
        corrections.stream().map(each -> each.next().plannedAt().toString()).toArray(String[]::new),
        corrections.stream().map(each -> each.next().runAt().toString()).toArray(String[]::new));
  }
}
