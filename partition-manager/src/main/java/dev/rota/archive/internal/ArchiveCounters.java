package dev.rota.archive.internal;

import dev.rota.archive.ArchiveStatistics;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the operations of the archiver. Thread-safe. */
public final class ArchiveCounters {

  final AtomicLong segments = new AtomicLong();
  final AtomicLong tasks = new AtomicLong();
  final AtomicLong bytes = new AtomicLong();
  final AtomicLong deleted = new AtomicLong();
  final AtomicLong failures = new AtomicLong();

  public ArchiveStatistics snapshot() {
    return new ArchiveStatistics(
        segments.get(), tasks.get(), bytes.get(), deleted.get(), failures.get());
  }
}
