package dev.rota.internal.worker;

/** What the services of a worker do with their threads. */
final class Threads {

  private Threads() {}

  /** Waits for a thread to end, whatever interrupts the caller meanwhile. */
  static void join(Thread thread) {
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
  static IllegalStateException unexpected(InterruptedException e) {
    return new IllegalStateException("a thread of a Rota worker was interrupted from outside", e);
  }
}
