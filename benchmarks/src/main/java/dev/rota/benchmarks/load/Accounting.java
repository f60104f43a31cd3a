package dev.rota.benchmarks.load;

import dev.rota.demo.IdSet;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts every task, at one bit for each id on either side and apart from everything the library
 * counts. Thread-safe.
 */
final class Accounting {

  private final IdSet acknowledged = new IdSet();
  private final IdSet handled = new IdSet();
  private final LongAdder requestedCount = new LongAdder();
  private final LongAdder acknowledgedCount = new LongAdder();
  private final LongAdder handledCount = new LongAdder();
  private final LongAdder duplicatedCount = new LongAdder();

  /** So many tasks are handed to the library. */
  void requested(int tasks) {
    requestedCount.add(tasks);
  }

  /** The library says that these are stored. */
  void acknowledged(List<Long> ids) {
    ids.forEach(acknowledged::add);
    acknowledgedCount.add(ids.size());
  }

  /** The library says that this one is stored. */
  void acknowledged(long id) {
    acknowledged.add(id);
    acknowledgedCount.increment();
  }

  /** A handler begins with this one. */
  void handled(long id) {
    if (handled.add(id)) {
      handledCount.increment();
    } else {
      duplicatedCount.increment();
    }
  }

  /** Tasks of which the library has not yet said that they are stored. */
  long outstanding() {
    return requestedCount.sum() - acknowledgedCount.sum();
  }

  long enqueued() {
    return acknowledgedCount.sum();
  }

  /** Tasks that a handler has begun with, each counted once. */
  long handled() {
    return handledCount.sum();
  }

  /** Tasks enqueued and not handled; a handler may be ahead of the producer's bookkeeping. */
  long backlog() {
    return Math.max(0, enqueued() - handled());
  }

  /** Tasks that the library took on and no handler has seen. Exact once nothing moves any more. */
  long lost() {
    return acknowledged.countMissingIn(handled);
  }

  /** How often a handler got a task that a handler had got before. */
  long duplicated() {
    return duplicatedCount.sum();
  }
}
