package dev.rota.internal.db;

/** What services do with their threads. */
public final class DaemonThreads {

  private DaemonThreads() {}

  /** Waits for a thread to end, whatever interrupts the caller meanwhile. */
  public static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Nobody but Rota has these threads, and Rota does not interrupt them. */
  public static IllegalStateException unexpected(InterruptedException e) {
    return new IllegalStateException("a thread of Rota was interrupted from outside", e);
  }
}
