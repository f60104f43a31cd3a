package dev.rota.partition.internal;

import dev.rota.internal.TenantRegistry;
import dev.rota.internal.db.Errors;
import dev.rota.internal.db.TenantTables;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Switches the rings that are due, one a step, and rests after each: what thousands of tenants need
 * on the hour is spread over minutes. Used by one thread.
 */
final class Rotator implements Duty, Consumer<List<Standing>> {

  private final Mandate mandate;
  private final TenantRegistry registry;
  private final DaemonSettings settings;
  private final Tally tally;
  private final AgeWatch ages;
  private final RingSwitch ringSwitch;
  private final Postponements postponements;
  private final CarryOver carryOver;
  private final Troubles<RingId> troubles = new Troubles<>("rotate the ring of");
  private final DueList due = new DueList(this::isPutOff, this::mayRetry);

  /**
   * What it has beside it.
   *
   * @param ages tells which tables are old
   * @param carryOver moves what keeps a ring from being switched
   */
  record Helpers(AgeWatch ages, CarryOver carryOver) {}

  Rotator(
      Mandate mandate,
      TenantRegistry registry,
      DaemonSettings settings,
      Tally tally,
      Helpers helpers) {
    this.mandate = mandate;
    this.registry = registry;
    this.settings = settings;
    this.tally = tally;
    this.ages = helpers.ages;
    this.ringSwitch = new RingSwitch(registry.tables());
    this.postponements =
        new Postponements(mandate, registry.tables(), tally, settings.rotateEvery());
    this.carryOver = helpers.carryOver;
  }

  @Override
  public String name() {
    return "rotate rings";
  }

  /** Takes a new survey. The rings that wait longest come first. */
  @Override
  public void accept(List<Standing> standings) {
    Set<RingId> rings = due.renew(standings.stream().filter(this::isDue).toList());
    postponements.retain(rings);
    troubles.retain(rings);
  }

  @Override
  public long perform() throws SQLException {
    Optional<Standing> next = due.take();
    if (next.isEmpty()) {
      return settings.tick().toNanos();
    }
    long startedAt = System.nanoTime();
    Standing standing = next.get();
    troubles.attempt(standing.id(), standing.label(), () -> rotate(standing));
    return Pauses.afterWork(startedAt, settings.workShare());
  }

  /** A slot into which nobody wrote is as good as a new one. */
  private boolean isDue(Standing standing) {
    Standing.Ring ring = standing.ring();
    boolean byTime = ring.bytes() > 0 && ring.periodOver();
    return byTime || ring.bytes() >= settings.slotBytes() || ages.isOld(standing.id());
  }

  private boolean isPutOff(RingId ring) {
    return postponements.has(ring) || troubles.has(ring);
  }

  private boolean mayRetry(RingId ring) {
    return postponements.mayTry(ring) && troubles.mayTry(ring);
  }

  private void rotate(Standing standing) throws SQLException {
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

  private void switchRingOrPostpone(Standing standing) throws SQLException {
    try {
      switchRing(standing);
    } catch (PostponedException e) {
      postponements.add(standing, e.reason());
    }
  }

  private void switchRing(Standing standing) throws SQLException {
    int slot = trySwitch(standing);
    registry.learn(standing.entry().tenant().state().pointingAt(slot));
    postponements.ended(standing.id());
    carryOver.ended(standing.id());
    ages.rotated(standing.id());
    tally.rotations.incrementAndGet();
  }

  private int trySwitch(Standing standing) throws SQLException {
    int slot = standing.ring().slot();
    try {
      return mandate.transaction(
          "rotate the ring of " + standing.label(),
          session -> ringSwitch.run(session, standing.entry().tenant().tables(), slot));
    } catch (SQLException e) {
      if (Errors.isLockConflict(e)) {
        throw PostponedException.locked(TenantTables.after(slot), Errors.firstLineOf(e));
      }
      postponements.add(standing, PostponedException.failed(Errors.firstLineOf(e)).reason());
      throw e;
    }
  }
}
