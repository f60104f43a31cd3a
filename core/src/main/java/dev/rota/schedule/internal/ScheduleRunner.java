package dev.rota.schedule.internal;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toList;

import dev.rota.NewTask;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.enqueue.IdAllocator;
import dev.rota.internal.enqueue.TaskInserts;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TablesOnDemand;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.internal.text.SafeText;
import dev.rota.schedule.OverlappingRuns;
import dev.rota.schedule.ScheduleInfo;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds schedules whose time has come, and enqueues their tasks. The daemon calls it, in a separate
 * transaction each time. Used by one thread.
 *
 * <p>One transaction advances a schedule, compared with its state when it was read, and stores its
 * task. So an occurrence is enqueued once, whichever processes act on it, and whenever one dies.
 */
public final class ScheduleRunner {

  private static final Sql DUE_SCHEDULES = Sql.named("due_schedules");
  private static final Sql NEXT_SCHEDULE = Sql.named("next_schedule");
  private static final Sql ADVANCE_SCHEDULES = Sql.named("advance_schedules");

  /** The time until the next run if no schedule has one. */
  public static final long NEVER = Long.MAX_VALUE;

  /**
   * When the next schedule is due.
   *
   * @param nanos the time until then, in nanoseconds
   * @param readAt the time at which it was read, by the clock of the database
   */
  public record Next(long nanos, Instant readAt) {}

  private final TenantRegistry registry;
  private final IdAllocator taskIds;

  public ScheduleRunner(TenantRegistry registry, IdAllocator taskIds) {
    this.registry = registry;
    this.taskIds = taskIds;
  }

  /** Finds the schedules whose time has come, the longest due first, except for some ids. */
  public List<ScheduleRow> due(Session session, Set<Long> avoided, int most) throws SQLException {
    String sql =
        DUE_SCHEDULES.on(
            "schedules", registry.tables().schedules(), "tenants", registry.tables().tenants());
    long[] without = avoided.stream().mapToLong(Long::longValue).toArray();
    return session.run(
        BoundStatement.query(DUE_SCHEDULES.call(), sql, ScheduleRow::read, without, most));
  }

  /** Reads when the next one is due. */
  public Next next(Session session) throws SQLException {
    String sql = NEXT_SCHEDULE.on("schedules", registry.tables().schedules());
    return session
        .run(
            BoundStatement.query(
                NEXT_SCHEDULE.call(),
                sql,
                row -> new Next(nanos(row), ScheduleRow.present(row, 2))))
        .get(0);
  }

  /**
   * Enqueues the due tasks of these schedules, and advances them; skips schedules that another
   * process changed since they were read.
   *
   * @return the numbers of the tenants that got tasks, for the doorbell after the commit
   */
  public Collection<Integer> run(Session session, List<ScheduleRow> due) throws SQLException {
    List<Turn> turns = new ArrayList<>();
    for (ScheduleRow row : due) {
      turns.add(turn(session, row));
    }
    Set<Long> moved = new HashSet<>(advance(session, turns));
    turns.removeIf(turn -> !moved.contains(turn.row().id()));
    return insert(session, turns);
  }

  /** The name of a schedule in the log, also if its tenant is gone. */
  public static String label(ScheduleRow row) {
    return "schedule '" + SafeText.of(row.schedule().name()) + "' of tenant " + row.tenant();
  }

  private Turn turn(Session session, ScheduleRow row) throws SQLException {
    Occurrence step =
        Occurrence.of(row.schedule(), row.state().appointment(), row.state().readAt());
    TenantRef tenant = registry.get(session, row.tenant(), row.schedule().task().priority());
    if (tenant.state().isParked()) {
      // The daemon parks no tenant with a schedule, but a dump or a session can bring one.
      TablesOnDemand.make(session, registry.tables(), tenant);
      tenant = registry.read(session, row.tenant());
    }
    int tasks =
        row.schedule().overlapping() == OverlappingRuns.SKIP
            ? one(session, tenant, row, step)
            : step.tasks();
    return new Turn(row, tenant, step.next(), ids(session, tasks));
  }

  private List<Long> ids(Session session, int count) throws SQLException {
    return Arrays.stream(taskIds.take(count, session)).boxed().toList();
  }

  /** Checks for an overlap. Of several missed occurrences all but one would overlap. */
  private int one(Session session, TenantRef tenant, ScheduleRow row, Occurrence step)
      throws SQLException {
    Optional<ScheduleInfo.Run> last = row.past().lastRun();
    boolean overlaps =
        step.tasks() > 0
            && last.isPresent()
            && new OverlapCheck(registry.tables(), tenant, last.get().taskId()).isAlive(session);
    return overlaps ? 0 : Math.min(1, step.tasks());
  }

  private List<Long> advance(Session session, List<Turn> turns) throws SQLException {
    long[] ids = turns.stream().mapToLong(turn -> turn.row().id()).toArray();
    long[] versions = turns.stream().mapToLong(turn -> turn.row().state().version()).toArray();
    String[] planned =
        turns.stream().map(turn -> turn.next().plannedAt().toString()).toArray(String[]::new);
    String[] runAt =
        turns.stream().map(turn -> turn.next().runAt().toString()).toArray(String[]::new);
    @Nullable Long[] tasks = turns.stream().map(Turn::lastTask).toArray(Long[]::new);
    String sql =
        ADVANCE_SCHEDULES.on(
            "schedules", registry.tables().schedules(), "tenants", registry.tables().tenants());
    return session.run(
        BoundStatement.query(
            ADVANCE_SCHEDULES.call(),
            sql,
            row -> row.getLong(1),
            ids,
            versions,
            planned,
            runAt,
            tasks));
  }

  /** Inserts the tasks in the order of the numbers of their tenants, a chunk in each flush. */
  private static Collection<Integer> insert(Session session, List<Turn> turns) throws SQLException {
    List<DueTask> tasks =
        turns.stream()
            .sorted(Comparator.comparingInt(turn -> turn.row().tenant()))
            .flatMap(Turn::dueTasks)
            .toList();
    for (List<DueTask> chunk : TaskInserts.chunks(tasks, DueTask::task)) {
      session.runAll(insertions(chunk));
    }
    return tasks.stream().map(DueTask::tenant).collect(toCollection(TreeSet::new));
  }

  /** The statements that insert a chunk: one for each tenant, unless priorities differ. */
  private static List<BoundStatement<Integer>> insertions(List<DueTask> chunk) {
    List<BoundStatement<Integer>> calls = new ArrayList<>();
    for (List<DueTask> own :
        chunk.stream().collect(groupingBy(DueTask::tenant, TreeMap::new, toList())).values()) {
      calls.addAll(
          TaskInserts.of(
              own.get(0).turn().tenant(),
              own.stream().map(DueTask::task).toList(),
              own.stream().mapToLong(DueTask::id).toArray()));
    }
    return calls;
  }

  private static long nanos(ResultSet row) throws SQLException {
    long micros = row.getLong(1);
    return row.wasNull() ? NEVER : Math.multiplyExact(micros, 1_000L);
  }

  /** The action for one schedule. */
  private record Turn(
      ScheduleRow row, TenantRef tenant, Occurrence.Appointment next, List<Long> tasks) {

    @Nullable Long lastTask() {
      return tasks.isEmpty() ? null : tasks.get(tasks.size() - 1);
    }

    Stream<DueTask> dueTasks() {
      return tasks.stream().map(id -> new DueTask(this, id));
    }
  }

  /** A task to be enqueued for a schedule. */
  private record DueTask(Turn turn, long id) {

    int tenant() {
      return turn.row().tenant();
    }

    NewTask task() {
      return turn.row().schedule().task();
    }
  }
}
