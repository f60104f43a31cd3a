package dev.rota.internal.worker;

/**
 * Limits the bytes of tasks that a worker holds. It counts the maximum of a claim before it begins,
 * and the claimed tasks until they are settled. Thread-safe.
 */
final class HeldBytes {

  private final long most;
  private long held;

  /** Creates a limit in bytes; a single claim is allowed in any case. */
  HeldBytes(long most) {
    this.most = most;
  }

  /** Reserves room for a claim, which {@link #release releases} it; false while there is none. */
  synchronized boolean reserve(long bytes) {
    if (held > 0 && held + bytes > most) {
      return false;
    }
    held += bytes;
    return true;
  }

  /** Adds the bytes that a claim has returned. */
  synchronized void add(long bytes) {
    held += bytes;
  }

  /** Releases the reserved bytes of a claim that is over, or the bytes of settled tasks. */
  synchronized void release(long bytes) {
    held -= bytes;
  }
}
