package dev.rota.crash.campaign;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Spreads tasks evenly over time. Time lost in an outage is not made up for. Thread-safe. */
final class EvenPace {

  private static final long FORGIVEN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final long nanosOfATask;
  private long free = System.nanoTime();

  EvenPace(int tasksASecond) {
    this.nanosOfATask = TimeUnit.SECONDS.toNanos(1) / tasksASecond;
  }

  /** Waits until it is time for this many tasks. */
  void await(int tasks) {
    LockSupport.parkNanos(reserve(tasks));
  }

  private synchronized long reserve(int tasks) {
    long now = System.nanoTime();
    free = Math.max(free, now - FORGIVEN_NANOS);
    long wait = free - now;
    free += tasks * nanosOfATask;
    return wait;
  }
}
