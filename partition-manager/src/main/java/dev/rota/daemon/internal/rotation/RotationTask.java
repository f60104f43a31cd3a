package dev.rota.daemon.internal.rotation;

import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.FailureTracker;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Switches the due rings, one in each step, and rests after each: the hourly work for thousands of
 * tenants is spread over minutes. Used by one thread.
 */
public final class RotationTask implements MaintenanceTask, Consumer<List<RingStatus>> {

  private final LeaderSession mandate;
  private final TenantRegistry registry;
  private final DaemonConfig settings;
  private final DaemonCounters tally;
  private final XidAgeMonitor ages;
  private final RingRotation ringSwitch;
  private final Postponements postponements;
  private final StrandedTaskMover carryOver;
  private final FailureTracker<RingId> troubles = new FailureTracker<>("rotate the ring of");
  private final DueQueue due = new DueQueue(this::isPutOff, this::mayRetry);

  /**
   * The helpers of the rotation.
   *
   * @param ages finds tables with old row versions
   * @param carryOver moves tasks that keep a ring from being switched
   */
  public record Helpers(XidAgeMonitor ages, StrandedTaskMover carryOver) {}

  public RotationTask(
      LeaderSession mandate,
      TenantRegistry registry,
      DaemonConfig settings,
      DaemonCounters tally,
      Helpers helpers) {
    this.mandate = mandate;
    this.registry = registry;
    this.settings = settings;
    this.tally = tally;
    this.ages = helpers.ages;
    this.ringSwitch = new RingRotation(registry.tables());
    this.postponements =
        new Postponements(mandate, registry.tables(), tally, settings.rotation().period());
    this.carryOver = helpers.carryOver;
  }

  @Override
  public String name() {
    return "rotate rings";
  }

  /** Accepts a new survey. The rings that wait longest come first. */
  @Override
  public void accept(List<RingStatus> standings) {
    Set<RingId> rings = due.renew(standings.stream().filter(this::isDue).toList());
    postponements.retain(rings);
    troubles.retain(rings);
  }

  @Override
  public Duration run() throws SQLException {
    Optional<RingStatus> next = due.take();
    if (next.isEmpty()) {
      return settings.pace().tick();
    }
    long startedAt = System.nanoTime();
    RingStatus standing = next.get();
    troubles.attempt(standing.id(), standing.label(), () -> rotate(standing));
    return Backoff.afterWork(startedAt, settings.pace().workShare());
  }

  /** Whether a ring is due. A slot without new rows is as good as a new one. */
  private boolean isDue(RingStatus standing) {
    RingStatus.Ring ring = standing.ring();
    boolean byTime = ring.bytes() > 0 && ring.periodOver();
    return byTime || ring.bytes() >= settings.rotation().slotBytes() || ages.isOld(standing.id());
  }

  private boolean isPutOff(RingId ring) {
    return postponements.has(ring) || troubles.has(ring);
  }

  private boolean mayRetry(RingId ring) {
    return postponements.mayTry(ring) && troubles.mayTry(ring);
  }

  private void rotate(RingStatus standing) throws SQLException {
    try {
      switchRing(standing);
    } catch (PostponedException e) {
      if (e.isUndrained() && carryOver.run(standing)) {
        switchRingOrPostpone(standing);
      } else {
        postponements.add(standing, e.reason());
      }
    }
  }

  private void switchRingOrPostpone(RingStatus standing) throws SQLException {
    try {
      switchRing(standing);
    } catch (PostponedException e) {
      postponements.add(standing, e.reason());
    }
  }

  private void switchRing(RingStatus standing) throws SQLException {
    int slot = trySwitch(standing);
    registry.learn(standing.entry().tenant().state().pointingAt(slot));
    postponements.ended(standing.id());
    carryOver.ended(standing.id());
    ages.rotated(standing.id());
    tally.rotations.incrementAndGet();
  }

  private int trySwitch(RingStatus standing) throws SQLException {
    int slot = standing.ring().slot();
    try {
      return mandate.transaction(
          "rotate the ring of " + standing.label(),
          session -> ringSwitch.run(session, standing.entry().tenant().tables(), slot));
    } catch (SQLException e) {
      if (SqlErrors.isLockConflict(e)) {
        throw PostponedException.locked(TenantTables.after(slot), SqlErrors.firstLineOf(e));
      }
      postponements.add(standing, PostponedException.failed(SqlErrors.firstLineOf(e)).reason());
      throw e;
    }
  }
}
