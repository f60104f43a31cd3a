package dev.rota.partition.internal;

import dev.rota.archive.ArchiveStatistics;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what the archiver does. Thread-safe. */
final class ArchiveTally {

  final AtomicLong segments = new AtomicLong();
  final AtomicLong tasks = new AtomicLong();
  final AtomicLong bytes = new AtomicLong();
  final AtomicLong deleted = new AtomicLong();
  final AtomicLong failures = new AtomicLong();

  ArchiveStatistics snapshot() {
    return new ArchiveStatistics(
        segments.get(), tasks.get(), bytes.get(), deleted.get(), failures.get());
  }
}
