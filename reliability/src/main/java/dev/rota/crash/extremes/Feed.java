package dev.rota.crash.extremes;

import dev.rota.DatabaseException;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A producer that continues after any failure, on a separate thread, and remembers the acknowledged
 * tasks.
 */
final class Feed implements AutoCloseable {

  private final Rota rota;
  private final List<Tenant> tenants;
  private final List<NewTask> tasks;
  private final Duration pause;
  private final Queue<Long> acknowledged = new ConcurrentLinkedQueue<>();
  private final AtomicInteger unknown = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final Thread thread = new Thread(this::run, "feed");
  private volatile boolean stopping;

  private Feed(Rota rota, List<String> names, List<NewTask> tasks, Duration pause) {
    this.rota = rota;
    this.tenants = names.stream().map(rota.tenants()::get).toList();
    this.tasks = tasks;
    this.pause = pause;
  }

  /** Enqueues a number of tasks for each tenant, in turns, with a pause after each round. */
  static Feed start(String url, List<String> tenants, int count, Duration pause) {
    NewTask task = NewTask.of("k", "x".repeat(200));
    Rota rota = Rota.builder(url).poolSize(2).build();
    Feed feed = new Feed(rota, tenants, Collections.nCopies(count, task), pause);
    feed.thread.start();
    return feed;
  }

  /** The tasks whose enqueue has returned. */
  Queue<Long> acknowledged() {
    return acknowledged;
  }

  /** The number of enqueues with an unknown outcome. */
  int unknown() {
    return unknown.get();
  }

  /** The number of failed enqueues. */
  int refused() {
    return refused.get();
  }

  void stop() throws InterruptedException {
    stopping = true;
    thread.join();
  }

  @Override
  public void close() throws InterruptedException {
    stop();
    rota.close();
  }

  private void run() {
    while (!stopping) {
      tenants.forEach(this::feed);
      LockSupport.parkNanos(pause.toNanos());
    }
  }

  private void feed(Tenant tenant) {
    try {
      acknowledged.addAll(tenant.enqueueAll(tasks));
    } catch (DatabaseException e) {
      // An expected failure: the next round comes in any case.
      (e.outcomeUnknown() ? unknown : refused).incrementAndGet();
    }
  }
}
