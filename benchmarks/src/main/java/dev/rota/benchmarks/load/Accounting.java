package dev.rota.benchmarks.load;

import dev.rota.demo.IdSet;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts every task, at one bit for each id on either side and independent of the library's
 * counters. Thread-safe.
 */
final class Accounting {

  private final IdSet acknowledged = new IdSet();
  private final IdSet handled = new IdSet();
  private final LongAdder requestedCount = new LongAdder();
  private final LongAdder acknowledgedCount = new LongAdder();
  private final LongAdder handledCount = new LongAdder();
  private final LongAdder duplicatedCount = new LongAdder();

  /** Records the number of tasks that are passed to the library. */
  void requested(int tasks) {
    requestedCount.add(tasks);
  }

  /** Records that the library acknowledged these tasks. */
  void acknowledged(List<Long> ids) {
    ids.forEach(acknowledged::add);
    acknowledgedCount.add(ids.size());
  }

  /** Records that the library acknowledged this task. */
  void acknowledged(long id) {
    acknowledged.add(id);
    acknowledgedCount.increment();
  }

  /** Records that a handler begins with this task. */
  void handled(long id) {
    if (handled.add(id)) {
      handledCount.increment();
    } else {
      duplicatedCount.increment();
    }
  }

  /** The number of tasks that the library has not acknowledged yet. */
  long outstanding() {
    return requestedCount.sum() - acknowledgedCount.sum();
  }

  long enqueued() {
    return acknowledgedCount.sum();
  }

  /** The number of tasks that a handler has begun, each counted once. */
  long handled() {
    return handledCount.sum();
  }

  /**
   * The number of tasks enqueued and not handled; a handler may be ahead of the producer's records.
   */
  long backlog() {
    return Math.max(0, enqueued() - handled());
  }

  /**
   * The number of tasks that the library accepted and no handler got. Exact once nothing moves any
   * more.
   */
  long lost() {
    return acknowledged.countMissingIn(handled);
  }

  /** How often a handler got a task that a handler had already got. */
  long duplicated() {
    return duplicatedCount.sum();
  }
}
