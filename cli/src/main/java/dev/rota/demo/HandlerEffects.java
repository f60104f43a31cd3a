package dev.rota.demo;

import dev.rota.Task;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Records which attempts the handlers ran, in memory and independent of the library's counters.
 * Thread-safe.
 */
final class HandlerEffects {

  private final ConcurrentHashMap<Integer, IdSet> attempts = new ConcurrentHashMap<>();
  private final IdSet succeeded = new IdSet();
  private final IdSet exhausted = new IdSet();
  private final LongAdder ran = new LongAdder();
  private final LongAdder finished = new LongAdder();
  private final LongAdder repeated = new LongAdder();
  private final int maxAttempts;

  HandlerEffects(int maxAttempts) {
    this.maxAttempts = maxAttempts;
  }

  void succeed(Task task) {
    boolean newAttempt = runs(task.id(), task.attempt());
    boolean newSuccess = succeeded.add(task.id());
    count(newSuccess, newAttempt && newSuccess);
  }

  void fail(Task task) {
    boolean newAttempt = runs(task.id(), task.attempt());
    boolean newEnd = task.attempt() >= maxAttempts && exhausted.add(task.id());
    count(newEnd, newAttempt);
  }

  /** The number of attempts that ran, repetitions included. */
  long ran() {
    return ran.sum();
  }

  /** The number of tasks that succeeded, or failed for the last time. */
  long finished() {
    return finished.sum();
  }

  /**
   * The number of attempts that ran although the same attempt, or a successful one, had run before.
   */
  long repeated() {
    return repeated.sum();
  }

  IdSet succeeded() {
    return succeeded;
  }

  private boolean runs(long id, int attempt) {
    ran.increment();
    IdSet seen = attempts.get(attempt);
    if (seen == null) {
      seen = attempts.computeIfAbsent(attempt, n -> new IdSet());
    }
    return seen.add(id);
  }

  private void count(boolean isEnd, boolean isFirst) {
    if (isEnd) {
      finished.increment();
    }
    if (!isFirst) {
      repeated.increment();
    }
  }
}
