package dev.rota.schedule.internal;

import dev.rota.NewTask;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.db.TransactionBody;
import dev.rota.internal.enqueue.Doorbell;
import dev.rota.internal.enqueue.IdAllocator;
import dev.rota.internal.enqueue.TaskInserts;
import dev.rota.internal.payload.StoredText;
import dev.rota.internal.tenant.LaneCreator;
import dev.rota.internal.tenant.TablesOnDemand;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.schedule.Schedule;
import dev.rota.schedule.ScheduleInfo;
import dev.rota.schedule.Schedules;
import dev.rota.schedule.UnknownScheduleException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Default implementation of {@link Schedules}. */
public final class DefaultSchedules implements Schedules {

  private final Parts parts;
  private final ScheduleValidator rules;
  private final LaneCreator laneCreator;
  private final Supplier<TenantRef> tenant;
  private final ScheduleStore store;

  /**
   * Creates the schedules of a tenant, which is fetched at each use, so that the registry can
   * notice that it may be stale.
   */
  public DefaultSchedules(
      Parts parts, TaskValidator rules, LaneCreator laneCreator, Supplier<TenantRef> tenant) {
    this.parts = parts;
    this.rules = new ScheduleValidator(rules);
    this.laneCreator = laneCreator;
    this.tenant = tenant;
    this.store = new ScheduleStore(parts.registry.tables());
  }

  /** The parts that the schedules of all tenants of one Rota share. */
  public record Parts(
      Database database,
      TenantRegistry registry,
      TablesOnDemand tables,
      IdAllocator taskIds,
      Doorbell doorbell) {}

  @Override
  public ScheduleInfo add(Schedule given) {
    TenantRef owner = tenant.get();
    Schedule schedule = rules.check(owner, given);
    parts.tables.ensure(owner);
    laneCreator.ensure(owner, schedule.task().priority());
    return on(
        "add " + ScheduleValidator.label(owner, schedule.name()),
        session -> add(session, owner.number(), schedule).info());
  }

  @Override
  public List<ScheduleInfo> list() {
    TenantRef owner = tenant.get();
    return on(
        "list the schedules of " + owner.label(),
        session -> store.list(session, owner.number()).stream().map(ScheduleRow::info).toList());
  }

  @Override
  public Optional<ScheduleInfo> find(String name) {
    TenantRef owner = tenant.get();
    if (TaskValidator.indexOfUnstorable(name) >= 0) {
      return Optional.empty();
    }
    return on(
        "find " + ScheduleValidator.label(owner, name),
        session ->
            Optional.ofNullable(store.find(session, owner.number(), name)).map(ScheduleRow::info));
  }

  @Override
  public void pause(String name) {
    TenantRef owner = storable(name);
    boolean paused =
        on(
            "pause " + ScheduleValidator.label(owner, name),
            session -> store.pause(session, owner.number(), name));
    if (!paused) {
      throw unknown(owner, name);
    }
  }

  @Override
  public void resume(String name) {
    TenantRef owner = storable(name);
    on("resume " + ScheduleValidator.label(owner, name), session -> resume(session, owner, name));
  }

  @Override
  public long run(String name) {
    TenantRef owner = storable(name);
    owner.refuseClosed();
    parts.tables.ensure(owner);
    String purpose = "run " + ScheduleValidator.label(owner, name);
    long task =
        owner.charged(
            owner.isCharged() ? taskOf(name) : List.of(),
            () -> on(purpose, session -> run(session, owner, name)));
    parts.doorbell.ring(owner.number());
    return task;
  }

  /** The task of a schedule; none if there is no such schedule. */
  private List<NewTask> taskOf(String name) {
    return find(name).map(found -> List.of(found.schedule().task())).orElse(List.of());
  }

  @Override
  public boolean remove(String name) {
    TenantRef owner = tenant.get();
    return TaskValidator.indexOfUnstorable(name) < 0
        && on(
            "remove " + ScheduleValidator.label(owner, name),
            session -> store.remove(session, owner.number(), name));
  }

  /**
   * Adds or changes a schedule. Another process may add or remove it at the same moment; the loop
   * then reads it again.
   */
  private ScheduleRow add(Session session, int owner, Schedule schedule) throws SQLException {
    Instant now = store.now(session);
    Occurrence.Appointment first =
        Occurrence.Appointment.of(schedule, Timetable.first(schedule, now));
    while (!store.add(session, owner, schedule, first)) {
      @Nullable ScheduleRow present = store.lock(session, owner, schedule.name());
      if (present != null) {
        change(session, present, schedule, first);
        break;
      }
    }
    return Objects.requireNonNull(store.find(session, owner, schedule.name()));
  }

  private void change(
      Session session, ScheduleRow present, Schedule schedule, Occurrence.Appointment first)
      throws SQLException {
    if (!areEqual(present.schedule(), schedule)) {
      boolean sameTimes = haveSameTimes(present.schedule(), schedule);
      Occurrence.Appointment next = sameTimes ? present.state().appointment() : first;
      store.change(session, present.tenant(), schedule, next);
    }
  }

  private static boolean areEqual(Schedule one, Schedule other) {
    return haveSameTimes(one, other)
        && areEqual(one.task(), other.task())
        && one.missed() == other.missed()
        && one.overlapping() == other.overlapping()
        && one.jitter().equals(other.jitter());
  }

  private static boolean haveSameTimes(Schedule one, Schedule other) {
    return one.cron().equals(other.cron())
        && one.period().equals(other.period())
        && one.zone().equals(other.zone())
        && one.startingAt().equals(other.startingAt());
  }

  private static boolean areEqual(NewTask one, NewTask other) {
    return one.kind().equals(other.kind())
        && StoredText.of(one).equals(StoredText.of(other))
        && one.parentId().equals(other.parentId())
        && one.priority() == other.priority();
  }

  /** Resumes a schedule. A period keeps its beat. */
  private boolean resume(Session session, TenantRef owner, String name) throws SQLException {
    ScheduleRow row = locked(session, owner, name);
    if (row.state().paused()) {
      Instant planned = row.state().appointment().plannedAt();
      Instant next = Timetable.following(row.schedule(), planned, row.state().readAt());
      store.resume(session, row.id(), Occurrence.Appointment.of(row.schedule(), next));
    }
    return true;
  }

  private long run(Session session, TenantRef owner, String name) throws SQLException {
    long task = parts.taskIds.take(1, session)[0];
    owner.admit(session, 1);
    ScheduleRow row = locked(session, owner, name);
    NewTask what = row.schedule().task();
    TenantRef now = parts.registry.get(session, owner.number(), what.priority());
    session.runAll(TaskInserts.of(now, List.of(what), new long[] {task}));
    store.noteRun(session, row.id(), task);
    return task;
  }

  private ScheduleRow locked(Session session, TenantRef owner, String name) throws SQLException {
    @Nullable ScheduleRow row = store.lock(session, owner.number(), name);
    if (row == null) {
      throw unknown(owner, name);
    }
    return row;
  }

  private TenantRef storable(String name) {
    TenantRef owner = tenant.get();
    if (TaskValidator.indexOfUnstorable(name) >= 0) {
      throw unknown(owner, name);
    }
    return owner;
  }

  private <T> T on(String purpose, TransactionBody<T> body) {
    try {
      return parts.database.tryTransaction(purpose, body);
    } catch (SQLException e) {
      if (SqlErrors.isMissingRegistry(e)) {
        throw SqlErrors.schemaMissing(parts.registry.tables().schema());
      }
      throw SqlErrors.translate(purpose, e);
    }
  }

  private static UnknownScheduleException unknown(TenantRef owner, String name) {
    return new UnknownScheduleException(
        "there is no "
            + ScheduleValidator.label(owner, name)
            + "; add it with Schedules.add(schedule), or look at Schedules.list()");
  }
}
