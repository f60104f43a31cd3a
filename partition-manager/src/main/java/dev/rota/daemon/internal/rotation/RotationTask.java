package dev.rota.daemon.internal.rotation;

import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.rotation.RingRotation.PostponedException;
import dev.rota.daemon.internal.rotation.RingSurvey.DueQueue;
import dev.rota.daemon.internal.rotation.RingSurvey.RingId;
import dev.rota.daemon.internal.rotation.RingSurvey.RingStatus;
import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.FailureTracker;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Switches the due rings, one in each step, and rests after each: the hourly work for thousands of
 * tenants is spread over minutes. Used by one thread.
 */
public final class RotationTask implements MaintenanceTask {

  private final LeaderSession leader;
  private final long slotBytes;
  private final Duration tick;
  private final double workShare;
  private final DaemonCounters counters;
  private final Set<RingId> aged;
  private final RingRotation ringSwitch;
  private final Postponements postponements;
  private final StrandedTaskMover strandedTasks;
  private final AtomicReference<TaskRules> rules;
  private final FailureTracker<RingId> failures = new FailureTracker<>("rotate the ring of");
  private final DueQueue due =
      new DueQueue(this::isDue, this::isPutOff, this::mayRetry, this::retain);

  /**
   * The helpers of the rotation.
   *
   * @param aged the rings with old row versions, which {@link XidAgeMonitor} finds
   * @param strandedTasks moves tasks that keep a ring from being switched
   * @param rules the rules by which tasks begin
   */
  public record Helpers(
      Set<RingId> aged, StrandedTaskMover strandedTasks, AtomicReference<TaskRules> rules) {}

  public RotationTask(
      LeaderSession leader,
      RegistryTables tables,
      DaemonConfig settings,
      DaemonCounters counters,
      Helpers helpers) {
    this.leader = leader;
    this.slotBytes = settings.rotation().slotBytes();
    this.tick = settings.pace().tick();
    this.workShare = settings.pace().workShare();
    this.counters = counters;
    this.aged = helpers.aged;
    this.ringSwitch = new RingRotation(tables);
    this.postponements = new Postponements(leader, tables, counters, settings.rotation().period());
    this.strandedTasks = helpers.strandedTasks;
    this.rules = helpers.rules;
  }

  @Override
  public String name() {
    return "rotate rings";
  }

  /** The rings that are due. Those that wait longest come first. */
  public DueQueue due() {
    return due;
  }

  @Override
  public Duration run() throws SQLException {
    Optional<RingStatus> next = due.take();
    if (next.isEmpty()) {
      return tick;
    }
    long startedAt = System.nanoTime();
    RingStatus status = next.get();
    failures.attempt(status.id(), status.label(), () -> rotate(status));
    return Backoff.afterWork(startedAt, workShare);
  }

  /** Whether a ring is due. A slot without new rows is as good as a new one. */
  private boolean isDue(RingStatus status) {
    RingStatus.Ring ring = status.ring();
    boolean byTime = ring.bytes() > 0 && ring.periodOver();
    return byTime || ring.bytes() >= slotBytes || aged.contains(status.id());
  }

  private boolean isPutOff(RingId ring) {
    return postponements.has(ring) || failures.has(ring);
  }

  private boolean mayRetry(RingId ring) {
    return postponements.mayTry(ring) && failures.mayTry(ring);
  }

  private void retain(Set<RingId> rings) {
    postponements.retain(rings);
    failures.retain(rings);
  }

  private boolean isPaused(int tenant) {
    TaskRules present = Objects.requireNonNull(rules.get());
    return present != TaskRules.NONE && present.pauses(tenant).all();
  }

  private void rotate(RingStatus status) throws SQLException {
    if (isPaused(status.number()) && !aged.contains(status.id())) {
      // Nothing is consumed, so that each switch would have to carry tasks over.
      postponements.add(status, PostponedException.paused().reason());
      return;
    }
    try {
      switchRing(status);
    } catch (PostponedException e) {
      if (e.isUndrained() && strandedTasks.run(status)) {
        switchRingOrPostpone(status);
      } else {
        postponements.add(status, e.reason());
      }
    }
  }

  private void switchRingOrPostpone(RingStatus status) throws SQLException {
    try {
      switchRing(status);
    } catch (PostponedException e) {
      postponements.add(status, e.reason());
    }
  }

  private void switchRing(RingStatus status) throws SQLException {
    int slot = trySwitch(status);
    TenantRef tenant = status.entry().tenant();
    tenant.learn(tenant.state().pointingAt(slot));
    postponements.ended(status.id());
    strandedTasks.ended(status.id());
    // The next look shows whether it was enough.
    aged.remove(status.id());
    counters.rotations.incrementAndGet();
  }

  private int trySwitch(RingStatus status) throws SQLException {
    int slot = status.ring().slot();
    try {
      return leader.transaction(
          "rotate the ring of " + status.label(),
          session -> ringSwitch.run(session, status.entry().tenant().tables(), slot));
    } catch (SQLException e) {
      if (SqlErrors.isLockConflict(e)) {
        throw PostponedException.locked(PriorityLanes.after(slot), SqlErrors.firstLineOf(e));
      }
      if (SqlErrors.isCanceled(e)) {
        throw PostponedException.cancelled(PriorityLanes.after(slot), SqlErrors.firstLineOf(e));
      }
      postponements.add(status, PostponedException.failed(SqlErrors.firstLineOf(e)).reason());
      throw e;
    }
  }

  /**
   * Tracks postponed rotations: the time of the next try, and a note in the registry, once in each
   * period however often it is tried. Used by one thread.
   */
  private static final class Postponements {

    private static final Sql POSTPONE_ROTATION = Sql.named("postpone_rotation");

    private final LeaderSession leader;
    private final RegistryTables tables;
    private final DaemonCounters counters;
    private final Duration retryPause;
    private final Map<RingId, Postponement> postponements = new HashMap<>();

    private record Postponement(long countedPeriod, long retryAt) {}

    Postponements(
        LeaderSession leader, RegistryTables tables, DaemonCounters counters, Duration period) {
      this.leader = leader;
      this.tables = tables;
      this.counters = counters;
      this.retryPause = Backoff.part(period, 10, Duration.ofMillis(100), Duration.ofSeconds(30));
    }

    boolean has(RingId ring) {
      return postponements.containsKey(ring);
    }

    boolean mayTry(RingId ring) {
      Postponement postponement = postponements.get(ring);
      return postponement == null || postponement.retryAt - System.nanoTime() <= 0;
    }

    /** Forgets the rings that are no longer due. */
    void retain(Set<RingId> due) {
      postponements.keySet().retainAll(due);
    }

    void ended(RingId ring) {
      postponements.remove(ring);
    }

    /** Postpones a ring. */
    void add(RingStatus status, String reason) throws SQLException {
      Postponement before = postponements.get(status.id());
      boolean counted = before != null && before.countedPeriod == status.period();
      postponements.put(
          status.id(),
          new Postponement(
              status.period(), System.nanoTime() + Backoff.jittered(retryPause.toNanos())));
      if (!counted) {
        note(status, reason);
        counters.postponed.incrementAndGet();
      }
    }

    private void note(RingStatus status, String reason) throws SQLException {
      leader.transaction(
          "note that the rotation of " + status.label() + " is postponed",
          session ->
              session.run(
                  BoundStatement.update(
                      POSTPONE_ROTATION.call(),
                      POSTPONE_ROTATION.on("tenants", tables.tenants()),
                      status.id().prefix() + reason,
                      status.number())));
    }
  }
}
