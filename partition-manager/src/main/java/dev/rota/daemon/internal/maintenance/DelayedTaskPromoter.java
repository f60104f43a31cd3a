package dev.rota.daemon.internal.maintenance;

import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.leader.TenantCatalog;
import dev.rota.internal.claim.InvalidRows;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.enqueue.Doorbell;
import dev.rota.internal.enqueue.IntoLanes;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.FailureTracker;
import dev.rota.internal.maintenance.LeadershipEndedException;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.SlotWidener;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;

/**
 * Moves due tasks from wait tables into rings, those of several tenants in one transaction. Used by
 * one thread.
 */
public final class DelayedTaskPromoter implements MaintenanceTask {

  private static final Sql NEXT_DUE = Sql.named("next_due");
  private static final Sql LOOK_FOR_LARGE_TASKS = Sql.named("look_for_large_tasks");

  private static final int BATCH = 5_000;

  /**
   * The most tenants in one transaction. Each costs four locks until the commit; sixty-four in
   * total are harmless on any server.
   */
  private static final int TENANTS_TOGETHER = 16;

  /** The length of a step, after which the other tasks have a turn. */
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_REST = TimeUnit.MILLISECONDS.toNanos(250);

  /**
   * Claims without a pause between them may refuse the lock many times in a row, and large tasks
   * wait meanwhile. An attempt that waits in vain holds up claims for a tenth of a second.
   */
  private static final Duration LONGEST_REST_OF_WIDENING = Duration.ofSeconds(5);

  private static final long HELD_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final LeaderSession leader;
  private final InvalidRows invalidRows;
  private final Doorbell doorbell;
  private final Duration tick;
  private final DaemonCounters counters;
  private final DueTimes dueTimes;
  private final FailureTracker<Integer> failures = new FailureTracker<>("promote the due tasks of");
  private final FailureTracker<Integer> narrow =
      new FailureTracker<>("make slots wide for large tasks of", LONGEST_REST_OF_WIDENING);
  private long compareAt;

  /** The parts that the promoter takes from the Rota. */
  public record Parts(InvalidRows invalidRows, Doorbell doorbell) {}

  /**
   * Creates the promoter of a leader.
   *
   * @param dueTimes the due times of tenants
   */
  public DelayedTaskPromoter(
      LeaderSession leader,
      DueTimes dueTimes,
      Parts parts,
      Duration tick,
      DaemonCounters counters) {
    this.leader = leader;
    this.invalidRows = parts.invalidRows;
    this.doorbell = parts.doorbell;
    this.tick = tick;
    this.counters = counters;
    this.dueTimes = dueTimes;
  }

  @Override
  public String name() {
    return "look for due tasks";
  }

  @Override
  public Duration run() throws SQLException {
    long startedAt = dueTimes.now();
    dueTimes.follow();
    if (compareAt <= startedAt) {
      compare();
    }
    promoteDue(startedAt);
    return Duration.ofNanos(pause(startedAt));
  }

  private void compare() throws SQLException {
    long startedAt = System.nanoTime();
    leader.transaction(
        name(),
        session -> {
          dueTimes.compare(session);
          return true;
        });
    compareAt = dueTimes.now() + Backoff.betweenLooks(tick, startedAt).toNanos();
  }

  private void promoteDue(long startedAt) throws SQLException {
    List<DueTimes.Waiting> due =
        dueTimes.due().stream()
            .filter(waiting -> failures.mayTry(waiting.entry().number()))
            .toList();
    for (int from = 0; from < due.size(); from += TENANTS_TOGETHER) {
      if (dueTimes.now() - startedAt > STEP_NANOS) {
        return;
      }
      promote(due.subList(from, Math.min(from + TENANTS_TOGETHER, due.size())));
    }
  }

  /**
   * Computes the rest, which is longer after an expensive step: meanwhile more tasks become due,
   * which the next step promotes together.
   */
  private long pause(long startedAt) {
    long cost = dueTimes.now() - startedAt;
    if (cost > STEP_NANOS) {
      return SHORTEST_PAUSE;
    }
    long rest = Math.min(LONGEST_REST, Math.max(SHORTEST_PAUSE, 2 * cost));
    long next = Math.min(compareAt, dueTimes.nextDueAt()) - dueTimes.now();
    return Math.max(rest, next);
  }

  /** Promotes a group; one tenant's failure does not stop the others. */
  private void promote(List<DueTimes.Waiting> group) throws SQLException {
    try {
      promoteTogether(group);
    } catch (LeadershipEndedException e) {
      throw e;
    } catch (SQLException | RuntimeException e) {
      for (DueTimes.Waiting waiting : group) {
        var tenant = waiting.entry().tenant();
        failures.attempt(tenant.number(), tenant.label(), () -> promoteTogether(List.of(waiting)));
      }
    }
  }

  private void promoteTogether(List<DueTimes.Waiting> group) throws SQLException {
    long lookedAt = dueTimes.now();
    List<Integer> promoted = new ArrayList<>();
    List<Next> next =
        leader.transaction(
            "promote the due tasks of "
                + TenantCatalog.labels(group.stream().map(DueTimes.Waiting::entry).toList()),
            session -> promoteTogether(session, group, promoted));
    for (int i = 0; i < group.size(); i++) {
      note(group.get(i), promoted.get(i), lookedAt, next.get(i));
      if (next.get(i).nanos <= 0) {
        widenIfNeeded(group.get(i));
      }
    }
  }

  /** Makes slots wide if a due task does not fit them, so that it is promoted next. */
  private void widenIfNeeded(DueTimes.Waiting waiting) {
    TenantRef tenant = waiting.entry().tenant();
    if (tenant.state().lanes().areWide() || !narrow.mayTry(tenant.number())) {
      return;
    }
    // Others may hold the slots. The rotation, which needs them as well, tells who is in the way.
    boolean unused = narrow.attempt(tenant.number(), tenant.label(), () -> widen(waiting, tenant));
  }

  private void widen(DueTimes.Waiting waiting, TenantRef tenant) throws SQLException {
    if (leader.transaction(
        "make the slots of " + tenant.label() + " wide", session -> widen(session, tenant))) {
      tenant.learn(tenant.state().widened());
      waiting.dueAt(dueTimes.now());
    }
  }

  private static boolean widen(Session session, TenantRef tenant) throws SQLException {
    boolean due = session.run(largeTasks(tenant)).get(0);
    return due && !session.run(SlotWidener.of(tenant.tables())).isEmpty();
  }

  private static BoundStatement<List<Boolean>> largeTasks(TenantRef tenant) {
    Map<String, QueryPart> places =
        Map.of(
            "waiting",
            tenant.tables().waiting(),
            "largest_fitting",
            DSL.inline(PriorityLanes.LARGEST_FITTING));
    return BoundStatement.query(
        LOOK_FOR_LARGE_TASKS.call(), LOOK_FOR_LARGE_TASKS.on(places), row -> row.getBoolean(1));
  }

  private List<Next> promoteTogether(
      Session session, List<DueTimes.Waiting> group, List<Integer> promoted) throws SQLException {
    promoted.addAll(
        session.runAll(
            group.stream()
                .map(waiting -> IntoLanes.promotion(waiting.entry().tenant(), BATCH))
                .toList()));
    List<List<Next>> rows =
        session.runAll(group.stream().map(DelayedTaskPromoter::nextDue).toList());
    List<Next> next = new ArrayList<>();
    for (int i = 0; i < group.size(); i++) {
      next.add(withoutOdd(session, group.get(i), promoted.get(i), rows.get(i).get(0)));
    }
    return next;
  }

  /**
   * Sets odd rows aside. Rows that never become due, or belong to no lane, would delay all others.
   */
  private Next withoutOdd(Session session, DueTimes.Waiting waiting, int promoted, Next next)
      throws SQLException {
    if (!next.odd && !isHeldUp(promoted, next)) {
      return next;
    }
    int moved = invalidRows.moveWaiting(session, waiting.entry().tenant());
    return InvalidRows.isMost(moved) ? new Next(0, true) : next;
  }

  private static boolean isHeldUp(int promoted, Next next) {
    return promoted == 0 && next.nanos <= 0;
  }

  /** The time of the next due task, and whether a row is odd. */
  private record Next(long nanos, boolean odd) {}

  private static BoundStatement<List<Next>> nextDue(DueTimes.Waiting waiting) {
    return BoundStatement.query(
        NEXT_DUE.call(),
        NEXT_DUE.on("waiting", waiting.entry().tenant().tables().waiting()),
        DelayedTaskPromoter::next);
  }

  private static Next next(ResultSet row) throws SQLException {
    long micros = row.getLong(1);
    long nanos = row.wasNull() ? DueTimes.NEVER : Backoff.until(micros);
    return new Next(nanos, row.getBoolean(2));
  }

  private void note(DueTimes.Waiting waiting, int promoted, long lookedAt, Next next) {
    if (next.nanos == DueTimes.NEVER) {
      waiting.dueAt(DueTimes.NEVER);
    } else if (isHeldUp(promoted, next)) {
      // Another session holds locks on the due rows.
      waiting.dueAt(lookedAt + HELD_UP_NANOS);
    } else {
      waiting.dueAt(lookedAt + next.nanos);
    }
    if (promoted > 0) {
      counters.promoted.addAndGet(promoted);
      doorbell.ring(waiting.entry().number());
    }
  }
}
