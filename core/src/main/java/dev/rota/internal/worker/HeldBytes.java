package dev.rota.internal.worker;

/**
 * How many bytes of tasks a worker holds, or is about to claim, and how many it may. Counts what
 * claims may bring at most before they begin, and what they have brought until it is settled.
 * Thread-safe.
 */
final class HeldBytes {

  private final long most;
  private long held;

  /** For so many bytes at most; a single claim is let through in any case. */
  HeldBytes(long most) {
    this.most = most;
  }

  /** Makes room for a claim, which {@link #release releases} it; false while there is none. */
  synchronized boolean reserve(long bytes) {
    if (held > 0 && held + bytes > most) {
      return false;
    }
    held += bytes;
    return true;
  }

  /** A claim has brought so many. */
  synchronized void add(long bytes) {
    held += bytes;
  }

  /** A claim that had reserved so many is over, or tasks of so many are settled. */
  synchronized void release(long bytes) {
    held -= bytes;
  }
}
