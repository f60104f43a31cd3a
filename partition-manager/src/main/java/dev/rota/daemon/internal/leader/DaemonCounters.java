package dev.rota.daemon.internal.leader;

import dev.rota.daemon.DaemonStatistics;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the operations of the daemon. Thread-safe. */
public final class DaemonCounters {

  public final AtomicLong rotations = new AtomicLong();
  public final AtomicLong postponed = new AtomicLong();
  public final AtomicLong segmentsOpened = new AtomicLong();
  public final AtomicLong segmentsDropped = new AtomicLong();
  public final AtomicLong ledgersOpened = new AtomicLong();
  public final AtomicLong ledgersDropped = new AtomicLong();
  public final AtomicLong promoted = new AtomicLong();
  public final AtomicLong reaped = new AtomicLong();
  public final AtomicLong tenantsParked = new AtomicLong();

  public DaemonStatistics snapshot() {
    return new DaemonStatistics(
        rotations.get(),
        postponed.get(),
        new DaemonStatistics.Segments(
            segmentsOpened.get(),
            segmentsDropped.get(),
            ledgersOpened.get(),
            ledgersDropped.get(),
            tenantsParked.get()),
        promoted.get(),
        reaped.get());
  }
}
