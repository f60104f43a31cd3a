package dev.rota.internal.worker;

/**
 * How many bytes of tasks a worker holds, or is about to claim, and how many it may. Counts what
 * claims may bring at most before they begin, and what they have brought until it is settled.
 * Thread-safe.
 */
final class HeldBytes {

  private final long most;
  private long held;
  private long reserved;

  /** For so many bytes at most; a single claim is let through in any case. */
  HeldBytes(long most) {
    this.most = most;
  }

  /** Makes room for a claim, which ends with {@link #free}; false while there is none. */
  synchronized boolean reserve(long bytes) {
    if (held + reserved > 0 && held + reserved + bytes > most) {
      return false;
    }
    reserved += bytes;
    return true;
  }

  /** A claim is over. */
  synchronized void free(long bytes) {
    reserved -= bytes;
  }

  /** A claim has brought so many. */
  synchronized void add(long bytes) {
    held += bytes;
  }

  /** The worker needs so many no longer: they are settled. */
  synchronized void release(long bytes) {
    held -= bytes;
  }
}
