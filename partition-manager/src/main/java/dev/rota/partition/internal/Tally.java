package dev.rota.partition.internal;

import dev.rota.partition.DaemonStatistics;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what the daemon does. Thread-safe. */
final class Tally {

  final AtomicLong rotations = new AtomicLong();
  final AtomicLong postponed = new AtomicLong();
  final AtomicLong segmentsOpened = new AtomicLong();
  final AtomicLong segmentsDropped = new AtomicLong();
  final AtomicLong ledgersOpened = new AtomicLong();
  final AtomicLong ledgersDropped = new AtomicLong();
  final AtomicLong promoted = new AtomicLong();
  final AtomicLong reaped = new AtomicLong();

  DaemonStatistics snapshot() {
    return new DaemonStatistics(
        rotations.get(),
        postponed.get(),
        new DaemonStatistics.Segments(
            segmentsOpened.get(), segmentsDropped.get(), ledgersOpened.get(), ledgersDropped.get()),
        promoted.get(),
        reaped.get());
  }
}
