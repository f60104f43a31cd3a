package dev.rota.internal.worker;

/**
 * How many tasks of a tenant may be pending, at most: what the insert counters show less what this
 * process claimed. A prompt visit claims tasks before the counters show them; the balance is then
 * below zero, and their count no reason for another visit. Not thread-safe.
 *
 * <p>What others claim and what was rolled back leaves the balance too high, until a visit that
 * sees everything sets it right. Whenever it could be too low it has to be forgotten.
 */
final class Balance {

  private static final long UNKNOWN = Long.MAX_VALUE / 2;

  private long pending = UNKNOWN;
  private long countedInVisit;

  /** A visit begins: what is counted from now on it may not see. */
  void visit() {
    countedInVisit = 0;
  }

  void counted(long inserts) {
    countedInVisit += inserts;
    if (pending != UNKNOWN) {
      pending += inserts;
    }
  }

  /** Such tasks too as were inserted before anything was counted. */
  void claimed(int tasks) {
    if (pending != UNKNOWN) {
      pending -= tasks;
    }
  }

  /** The visit left nothing of what was counted before it began. */
  void sawAll() {
    pending = Math.min(pending, countedInVisit);
  }

  /** From now on anything may be pending. */
  void forget() {
    pending = UNKNOWN;
  }

  boolean isPositive() {
    return pending > 0;
  }
}
