package dev.rota.internal.worker;

import java.util.concurrent.TimeUnit;

/**
 * Estimates an upper bound of a tenant's pending tasks: the inserts that the counters show, less
 * the tasks that this process claimed. A prompt visit claims tasks before the counters show them;
 * the balance is then below zero, and their count no reason for another visit. Not thread-safe.
 *
 * <p>Claims of other processes and rolled back inserts leave the balance too high, until a visit
 * that sees everything corrects it. It should never be too low; in case it is, it is trusted for
 * ten seconds only.
 */
final class BacklogEstimate {

  private static final long UNKNOWN = Long.MAX_VALUE / 2;
  private static final long BELIEF_NANOS = TimeUnit.SECONDS.toNanos(10);

  private long pending = UNKNOWN;
  private long countedInVisit = UNKNOWN;
  private long knownAt;

  /** Records the beginning of a visit, which may not see tasks that are counted from now on. */
  void visit() {
    countedInVisit = 0;
  }

  void counted(long inserts) {
    if (countedInVisit != UNKNOWN) {
      countedInVisit += inserts;
    }
    if (isKnown()) {
      pending += inserts;
    }
  }

  void claimed(int tasks) {
    if (isKnown()) {
      pending -= tasks;
    }
  }

  /** Records that the visit left none of the tasks that were counted before it began. */
  void sawAll(long now) {
    if (!isKnown()) {
      pending = countedInVisit;
      knownAt = now;
    }
    pending = Math.min(pending, countedInVisit);
  }

  /**
   * Discards the estimate: any task may be pending, also one that a current visit does not see and
   * that the counters have already shown.
   */
  void forget() {
    pending = UNKNOWN;
    countedInVisit = UNKNOWN;
  }

  boolean isPositive(long now) {
    if (isKnown() && now - knownAt > BELIEF_NANOS) {
      forget();
    }
    return pending > 0;
  }

  private boolean isKnown() {
    return pending != UNKNOWN;
  }
}
