package dev.rota.schedule.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.payload.StoredText;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.schedule.Schedule;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads and writes schedules, each method within a transaction of its caller. Thread-safe. */
final class ScheduleStore {

  private static final Sql FIND_SCHEDULE = Sql.named("find_schedule");
  private static final Sql LOCK_SCHEDULE = Sql.named("lock_schedule");
  private static final Sql LIST_SCHEDULES = Sql.named("list_schedules");
  private static final Sql READ_THE_CLOCK = Sql.named("read_the_clock");
  private static final Sql ADD_SCHEDULE = Sql.named("add_schedule");
  private static final Sql CHANGE_SCHEDULE = Sql.named("change_schedule");
  private static final Sql PAUSE_SCHEDULE = Sql.named("pause_schedule");
  private static final Sql RESUME_SCHEDULE = Sql.named("resume_schedule");
  private static final Sql NOTE_RUN = Sql.named("note_run");
  private static final Sql REMOVE_SCHEDULE = Sql.named("remove_schedule");

  private final RegistryTables tables;

  ScheduleStore(RegistryTables tables) {
    this.tables = tables;
  }

  Instant now(Session session) throws SQLException {
    return session
        .run(BoundStatement.query(READ_THE_CLOCK, row -> ScheduleRow.present(row, 1)))
        .get(0);
  }

  List<ScheduleRow> list(Session session, int tenant) throws SQLException {
    return select(session, LIST_SCHEDULES, tenant);
  }

  @Nullable ScheduleRow find(Session session, int tenant, String name) throws SQLException {
    return select(session, FIND_SCHEDULE, tenant, name).stream().findFirst().orElse(null);
  }

  /** Reads a schedule and locks it until the transaction ends. */
  @Nullable ScheduleRow lock(Session session, int tenant, String name) throws SQLException {
    return select(session, LOCK_SCHEDULE, tenant, name).stream().findFirst().orElse(null);
  }

  /** Adds a schedule; returns false if the name exists. */
  boolean add(Session session, int tenant, Schedule schedule, Occurrence.Appointment next)
      throws SQLException {
    return write(session, ADD_SCHEDULE, binds(tenant, schedule, next));
  }

  void change(Session session, int tenant, Schedule schedule, Occurrence.Appointment next)
      throws SQLException {
    write(session, CHANGE_SCHEDULE, binds(tenant, schedule, next));
  }

  /** Pauses a schedule; returns false if the name does not exist. */
  boolean pause(Session session, int tenant, String name) throws SQLException {
    return write(session, PAUSE_SCHEDULE, tenant, name);
  }

  void resume(Session session, long id, Occurrence.Appointment next) throws SQLException {
    write(session, RESUME_SCHEDULE, next.plannedAt().toString(), next.runAt().toString(), id);
  }

  void noteRun(Session session, long id, long task) throws SQLException {
    write(session, NOTE_RUN, task, id);
  }

  /** Removes a schedule; returns false if the name does not exist. */
  boolean remove(Session session, int tenant, String name) throws SQLException {
    return write(session, REMOVE_SCHEDULE, tenant, name);
  }

  private boolean write(Session session, Sql statement, @Nullable Object... binds)
      throws SQLException {
    String sql = statement.on("schedules", tables.schedules());
    return session.run(BoundStatement.update(statement.call(), sql, binds)) > 0;
  }

  private List<ScheduleRow> select(Session session, Sql statement, Object... binds)
      throws SQLException {
    String sql = statement.on("schedules", tables.schedules());
    return session.run(BoundStatement.query(statement.call(), sql, ScheduleRow::read, binds));
  }

  /** The binds of a schedule. Times are sent as texts, which hold every microsecond. */
  private static @Nullable Object[] binds(
      int tenant, Schedule schedule, Occurrence.Appointment next) {
    List<@Nullable Object> binds = new ArrayList<>();
    binds.add(schedule.cron().orElse(null));
    binds.add(schedule.period().map(ScheduleStore::micros).orElse(null));
    binds.add(schedule.zone());
    binds.add(schedule.startingAt().map(Instant::toString).orElse(null));
    binds.add(schedule.task().kind());
    binds.add(StoredText.of(schedule.task()));
    binds.add(
        schedule.task().parentId().isPresent() ? schedule.task().parentId().getAsLong() : null);
    binds.add(schedule.task().priority());
    binds.add(schedule.missed().name().toLowerCase(Locale.ROOT));
    binds.add(schedule.overlapping().name().toLowerCase(Locale.ROOT));
    binds.add(micros(schedule.jitter()));
    binds.add(next.plannedAt().toString());
    binds.add(next.runAt().toString());
    binds.add(tenant);
    binds.add(schedule.name());
    return binds.toArray();
  }

  private static long micros(Duration duration) {
    return duration.dividedBy(ChronoUnit.MICROS.getDuration());
  }
}
