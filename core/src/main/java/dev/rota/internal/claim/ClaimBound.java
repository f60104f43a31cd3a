package dev.rota.internal.claim;

/**
 * How one tenant is claimed: by weight after a payload that is not small, and less at a time after
 * claims that failed for what the rows hold. Relaxes with claims that succeed. Thread-safe.
 */
final class ClaimBound {

  /** After so many claims in a row without a payload that is not small, none is expected. */
  private static final int LIGHT_ENOUGH = 16;

  private int rows = Integer.MAX_VALUE;
  private int failedSlot = -1;
  private int weighed;

  /** How many rows, if so many are wanted. */
  synchronized int rows(int wanted) {
    return Math.min(rows, wanted);
  }

  /** Whether to add up the bytes of the rows. */
  synchronized boolean isWeighed() {
    return weighed > 0;
  }

  /** There is a payload that is not small. */
  synchronized void weigh() {
    weighed = LIGHT_ENOUGH;
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

  /** After a claim of so many rows that did not fit into memory; false if it cannot be less. */
  synchronized boolean lighten(int tried) {
    boolean wasWeighed = isWeighed();
    weigh();
    return halve(tried) || !wasWeighed;
  }

  /** A claim succeeded. */
  synchronized void succeeded(boolean foundLarge, boolean foundAny) {
    rows = rows > Integer.MAX_VALUE / 2 ? Integer.MAX_VALUE : 2 * rows;
    if (foundLarge) {
      weigh();
    } else if (foundAny && weighed > 0) {
      weighed--;
    }
  }
}
