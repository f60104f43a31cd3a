package dev.rota.internal.db;

/** Helpers for threads of services. */
public final class DaemonThreads {

  private DaemonThreads() {}

  /** Waits for a thread to end, even if the caller is interrupted meanwhile. */
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

  /**
   * The exception for an interrupt from outside. Only Rota has these threads, and it does not
   * interrupt them.
   */
  public static IllegalStateException unexpected(InterruptedException e) {
    return new IllegalStateException("a thread of Rota was interrupted from outside", e);
  }
}
