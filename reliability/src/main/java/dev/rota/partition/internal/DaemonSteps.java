package dev.rota.partition.internal;

import dev.rota.Rota;
import dev.rota.internal.Kernel;
import dev.rota.internal.RotaView;
import dev.rota.internal.TenantHandle;
import dev.rota.internal.db.Errors;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** The duties of a daemon, one at a time and when a test wants them. Used by one thread. */
public final class DaemonSteps {

  private final Kernel kernel;
  private final Mandate mandate;
  private final DaemonSettings settings = new DaemonSettings();
  private final Tally tally = new Tally();
  private final RingSwitch ringSwitch;

  /** As a leader whose connection this is. */
  public DaemonSteps(Rota rota, Connection connection) {
    this.kernel = RotaView.kernelOf(rota);
    this.mandate = new Mandate(kernel.database(), connection);
    this.ringSwitch = new RingSwitch(kernel.tables());
    settings.keepHistory(Duration.ZERO);
    settings.keepLedger(Duration.ZERO);
  }

  /** Switches the ring of the lane of which this is the current slot, unless it is postponed. */
  public boolean rotate(int tenant, int believed) throws SQLException {
    TenantHandle handle = kernel.registry().get(tenant);
    try {
      int slot =
          mandate.transaction(
              "rotate the ring of " + handle.label(),
              session -> ringSwitch.run(session, handle.tables(), believed));
      kernel.registry().learn(handle.state().pointingAt(slot));
      return true;
    } catch (PostponedException e) {
      return false;
    } catch (SQLException e) {
      return refuseUnlessGivenUp(e);
    }
  }

  /** A wait for a lock that took too long, or was ended from outside as if it had. */
  private static boolean refuseUnlessGivenUp(SQLException e) throws SQLException {
    if (Errors.isLockConflict(e) || "57014".equals(e.getSQLState())) {
      return false;
    }
    throw e;
  }

  /** Returns what dead workers hold. */
  public void reap() throws SQLException {
    reaper().perform();
  }

  /** The same as one leader does that looks again and again for so long. */
  public void reapFor(Duration time) throws SQLException {
    Reaper reaper = reaper();
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      reaper.perform();
    }
  }

  private Reaper reaper() {
    Reaper.Parts parts =
        new Reaper.Parts(kernel.registry(), kernel.batchReturn(), kernel.doorbell());
    return new Reaper(mandate, parts, settings.tick(), tally);
  }

  /** Moves what is due from the wait table into the ring. */
  public void promote() throws SQLException {
    Promoter.Parts parts = new Promoter.Parts(kernel.oddRows(), kernel.doorbell());
    new Promoter(mandate, new WaitBook(book()), parts, settings.tick(), tally).perform();
  }

  /** Seals the open segment of a tenant's history and opens the next one. */
  public void openSegment(int tenant) throws SQLException {
    SegmentKeeper keeper = new SegmentKeeper(mandate, kernel.registry(), settings, tally);
    TenantBook.Entry entry = book().find(tenant);
    if (entry == null) {
      throw new IllegalStateException("no tenant " + tenant);
    }
    Standing.Ring ring = new Standing.Ring(0, 1, false);
    int open = entry.tenant().state().currentSegment();
    Standing.Segment segment = new Standing.Segment(open, 1, true, true, true);
    keeper.accept(List.of(new Standing(entry, 1, ring, segment)));
    keeper.perform();
  }

  /** Drops the segments of history that are sealed and hold no open batch. */
  public void retireSegments() throws SQLException {
    HistoryRetirer retirer = new HistoryRetirer(mandate, kernel.tables(), book(), settings, tally);
    for (long pause = 0; pause < Duration.ofMillis(100).toNanos(); ) {
      pause = retirer.perform();
    }
  }

  /** Turns the ledger over if that is due, and drops its oldest segment if nobody needs it. */
  public void turnLedgerOver() throws SQLException {
    new LedgerKeeper(mandate, kernel.tables(), settings, tally).perform();
  }

  private TenantBook book() throws SQLException {
    TenantBook book = new TenantBook(mandate, kernel.registry(), kernel.tables());
    book.reload();
    return book;
  }
}
