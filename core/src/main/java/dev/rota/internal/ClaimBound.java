package dev.rota.internal;

/**
 * How much of one tenant may be claimed at a time, after claims that failed for what the rows hold.
 * Grows again with claims that succeed. Thread-safe.
 */
final class ClaimBound {

  private int rows = Integer.MAX_VALUE;
  private int failedSlot = -1;

  /** How many rows, if so many are wanted. */
  synchronized int rows(int wanted) {
    return Math.min(rows, wanted);
  }

  /** The slot whose rows made the last claim fail; negative if none did. */
  synchronized int failedSlot() {
    return failedSlot;
  }

  synchronized void failedIn(int slot) {
    failedSlot = slot;
  }

  /** Halves it after a claim of so many rows; false if it cannot be less. */
  synchronized boolean halve(int tried) {
    if (tried <= 1) {
      return false;
    }
    rows = tried / 2;
    return true;
  }

  synchronized void succeeded() {
    if (rows != Integer.MAX_VALUE) {
      rows = rows > Integer.MAX_VALUE / 2 ? Integer.MAX_VALUE : 2 * rows;
    }
  }
}
