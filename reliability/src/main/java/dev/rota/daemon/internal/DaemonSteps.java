package dev.rota.daemon.internal;

import dev.rota.Rota;
import dev.rota.daemon.RotationDaemon;
import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.leader.TenantCatalog;
import dev.rota.daemon.internal.maintenance.DelayedTaskPromoter;
import dev.rota.daemon.internal.maintenance.DueTimes;
import dev.rota.daemon.internal.maintenance.Reaper;
import dev.rota.daemon.internal.parking.TenantParker;
import dev.rota.daemon.internal.retention.HistoryRetention;
import dev.rota.daemon.internal.retention.LedgerRoller;
import dev.rota.daemon.internal.retention.SegmentRoller;
import dev.rota.daemon.internal.rotation.RingRotation;
import dev.rota.daemon.internal.rotation.RingRotation.PostponedException;
import dev.rota.daemon.internal.rotation.RingSurvey.RingStatus;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.maintenance.ClockGuard;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.metering.internal.UsageMaintenance;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Runs the maintenance tasks of a daemon one at a time, on request of a test. Used by one thread.
 */
public final class DaemonSteps {

  private static final int MOST_TRIES = 100;

  private final Kernel kernel;
  private final LeaderSession leader;
  private final DaemonConfig settings;
  private final DaemonCounters counters = new DaemonCounters();
  private final RingRotation ringSwitch;
  private final ClockGuard clock = new ClockGuard(System::nanoTime, Duration.ZERO);

  /** Creates the steps of a leader on this connection. */
  public DaemonSteps(Rota rota, Connection connection) {
    this.kernel = DefaultRota.kernelOf(rota);
    this.leader = new LeaderSession(kernel.database(), connection);
    this.ringSwitch = new RingRotation(kernel.tables());
    DaemonBuilder builder =
        DaemonBuilder.over(rota).keepHistory(Duration.ZERO).keepLedger(Duration.ZERO);
    RotationDaemon.Builder unused =
        DaemonBuilder.shortParking(builder, Duration.ofMillis(1), Duration.ofDays(1));
    this.settings = builder.config();
  }

  /** Switches the ring of the lane with this current slot, unless it is postponed. */
  public boolean rotate(int tenant, int believed) throws SQLException {
    TenantRef ref = kernel.registry().get(tenant);
    try {
      int slot =
          leader.transaction(
              "rotate the ring of " + ref.label(),
              session -> ringSwitch.run(session, ref.tables(), believed));
      ref.learn(ref.state().pointingAt(slot));
      return true;
    } catch (PostponedException e) {
      return false;
    } catch (SQLException e) {
      return refuseUnlessGivenUp(e);
    }
  }

  /**
   * Rethrows an exception, unless it is a wait for a lock that took too long, or was ended from
   * outside as if it had.
   */
  private static boolean refuseUnlessGivenUp(SQLException e) throws SQLException {
    if (SqlErrors.isLockConflict(e) || SqlErrors.isCanceled(e)) {
      return false;
    }
    throw e;
  }

  /** Returns the batches of dead workers; a leader tries again where a lock is not free in time. */
  public void reap() throws SQLException {
    Reaper reaper = reaper();
    for (int tries = 1; ; tries++) {
      try {
        reaper.run();
        return;
      } catch (SQLException e) {
        if (!SqlErrors.isLockConflict(e) || tries == MOST_TRIES) {
          throw e;
        }
      }
    }
  }

  /** Returns the batches of dead workers, as a leader does that polls for the given time. */
  public void reapFor(Duration time) throws SQLException {
    Reaper reaper = reaper();
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      reaper.run();
    }
  }

  private Reaper reaper() {
    Reaper.Parts parts =
        new Reaper.Parts(kernel.registry(), kernel.batchReturn(), kernel.doorbell());
    return new Reaper(leader, parts, settings.pace().tick(), counters);
  }

  /** Moves due tasks from the wait table into the ring. */
  public void promote() throws SQLException {
    DelayedTaskPromoter.Parts parts =
        new DelayedTaskPromoter.Parts(kernel.invalidRows(), kernel.doorbell());
    DueTimes dueTimes = new DueTimes(book(), kernel.rules());
    new DelayedTaskPromoter(leader, dueTimes, parts, settings.pace().tick(), counters).run();
  }

  /** Seals the open segment of a tenant's history and opens the next one. */
  public void openSegment(int tenant) throws SQLException {
    SegmentRoller keeper = new SegmentRoller(leader, kernel.tables(), settings, counters);
    TenantCatalog.Entry entry = book().find(tenant);
    if (entry == null) {
      throw new IllegalStateException("no tenant " + tenant);
    }
    RingStatus.Ring ring = new RingStatus.Ring(0, 1, false);
    int open = entry.tenant().state().currentSegment();
    RingStatus.Segment segment = new RingStatus.Segment(open, 1, true, true, true);
    keeper.due().renew(List.of(new RingStatus(entry, 1, ring, segment)));
    keeper.run();
  }

  /** Drops the segments of history that are sealed and hold no open batch. */
  public void retireSegments() throws SQLException {
    HistoryRetention retirer =
        new HistoryRetention(
            leader, kernel.tables(), new HistoryRetention.Parts(book(), clock), settings, counters);
    Duration pause = Duration.ZERO;
    while (pause.compareTo(Duration.ofMillis(100)) < 0) {
      pause = retirer.run();
    }
  }

  /** Parks a tenant whose announcement is over, if it is idle. */
  public void park(int tenant) throws SQLException {
    TenantCatalog catalog = book();
    if (catalog.find(tenant) == null) {
      throw new IllegalStateException("no tenant " + tenant);
    }
    Duration unused =
        new TenantParker(leader, catalog, kernel.settings().lockNamespace(), settings, counters)
            .run();
  }

  /**
   * Rolls the ledger over if that is due, and drops its oldest segment if it is no longer needed.
   */
  public void turnLedgerOver() throws SQLException {
    new LedgerRoller(leader, kernel.tables(), settings, counters, clock).run();
  }

  /** Adds the sealed segments of the ledger to the usage that have no open batch. */
  public void meter() throws SQLException {
    Duration unused = new UsageMaintenance(leader, List::of, kernel.tables(), Duration.ZERO).run();
  }

  private TenantCatalog book() throws SQLException {
    TenantCatalog catalog = new TenantCatalog(leader, kernel.registry(), kernel.tables());
    catalog.reload();
    return catalog;
  }
}
