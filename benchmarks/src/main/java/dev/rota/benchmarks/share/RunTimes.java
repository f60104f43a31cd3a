package dev.rota.benchmarks.share;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/** Runs tasks that do nothing for a time, and sums that up by tenant. Thread-safe. */
final class RunTimes {

  private final AtomicLongArray ended;
  private final Map<Thread, Running> running = new ConcurrentHashMap<>();
  private volatile boolean over;

  private record Running(int tenant, long since) {}

  RunTimes(int tenants) {
    this.ended = new AtomicLongArray(tenants);
  }

  /** Runs one task of a tenant; one that begins after the end takes no time. */
  void run(int tenant, Duration length) {
    long began = System.nanoTime();
    running.put(Thread.currentThread(), new Running(tenant, began));
    long end = began + length.toNanos();
    for (long left = length.toNanos(); left > 0 && !over; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
    running.remove(Thread.currentThread());
    ended.addAndGet(tenant, System.nanoTime() - began);
  }

  /** Lets all tasks end at once. */
  void end() {
    over = true;
    running.keySet().forEach(LockSupport::unpark);
  }

  /** The run time of each tenant so far, in seconds, with that of tasks that still run. */
  double[] seconds() {
    double[] seconds = new double[ended.length()];
    long now = System.nanoTime();
    running.values().forEach(task -> seconds[task.tenant] += (now - task.since) / 1e9);
    for (int i = 0; i < seconds.length; i++) {
      seconds[i] += ended.get(i) / 1e9;
    }
    return seconds;
  }
}
