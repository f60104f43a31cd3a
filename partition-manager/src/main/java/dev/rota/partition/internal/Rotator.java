package dev.rota.partition.internal;

import dev.rota.internal.Kernel;
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
  private final Kernel kernel;
  private final DaemonSettings settings;
  private final Tally tally;
  private final AgeWatch ages;
  private final RingSwitch ringSwitch;
  private final Postponements postponements;
  private final CarryOver carryOver;
  private final Troubles<RingId> troubles = new Troubles<>("rotate the ring of");
  private final DueList due = new DueList(this::isPutOff, this::mayRetry);

  Rotator(Mandate mandate, Kernel kernel, DaemonSettings settings, Tally tally, AgeWatch ages) {
    this.mandate = mandate;
    this.kernel = kernel;
    this.settings = settings;
    this.tally = tally;
    this.ages = ages;
    this.ringSwitch = new RingSwitch(kernel.tables());
    this.postponements = new Postponements(mandate, kernel.tables(), tally, settings.rotateEvery());
    this.carryOver = new CarryOver(mandate, kernel, settings);
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
    kernel.registry().learn(standing.entry().tenant().state().pointingAt(slot));
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
