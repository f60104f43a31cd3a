package dev.rota.internal.worker;

import java.util.concurrent.TimeUnit;

/**
 * How many tasks of a tenant may be pending, at most: what the insert counters show less what this
 * process claimed. A prompt visit claims tasks before the counters show them; the balance is then
 * below zero, and their count no reason for another visit. Not thread-safe.
 *
 * <p>What others claim and what was rolled back leaves the balance too high, until a visit that
 * sees everything sets it right. Nothing should make it too low; in case something does, it is
 * believed for ten seconds only.
 */
final class BacklogEstimate {

  private static final long UNKNOWN = Long.MAX_VALUE / 2;
  private static final long BELIEF_NANOS = TimeUnit.SECONDS.toNanos(10);

  private long pending = UNKNOWN;
  private long countedInVisit = UNKNOWN;
  private long knownAt;

  /** A visit begins: what is counted from now on it may not see. */
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

  /** The visit left nothing of what was counted before it began. */
  void sawAll(long now) {
    if (!isKnown()) {
      pending = countedInVisit;
      knownAt = now;
    }
    pending = Math.min(pending, countedInVisit);
  }

  /**
   * From now on anything may be pending, also what a visit that is under way does not see and what
   * the counters showed already.
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
