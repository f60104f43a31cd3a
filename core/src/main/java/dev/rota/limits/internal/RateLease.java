package dev.rota.limits.internal;

import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.db.Database;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.limits.internal.RateBudget.Answer;
import dev.rota.limits.internal.RateBudget.Demand;
import dev.rota.limits.internal.RateBudget.Leased;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;

/**
 * Leases starts at rates for this process, and lets tasks begin when their times come. It works
 * only while tasks wait for a start. Thread-safe.
 */
final class RateLease {

  private static final Logger log = Logs.of(RateLease.class);

  /** Starts that come faster begin in groups. */
  private static final long LEAST_NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** An answer that comes later says too little of when the starts were granted: they go back. */
  private static final long LONGEST_TRIP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Database database;
  private final RateStore store;
  private final ScheduledExecutorService timer;
  private final RateBudgets budgets = new RateBudgets(this::wakeAt);
  private final List<TaskRules.Listener> listeners;
  private final ReentrantLock waking = new ReentrantLock();
  private final AtomicLong wakesAt = new AtomicLong(RateBudget.NEVER);
  private boolean troubled;

  /**
   * Creates the lease of one Rota.
   *
   * @param listeners are told when tasks may begin
   */
  RateLease(
      Database database,
      RegistryTables tables,
      ScheduledExecutorService timer,
      CopyOnWriteArrayList<TaskRules.Listener> listeners) {
    this.database = database;
    this.store = new RateStore(tables);
    this.timer = timer;
    this.listeners = listeners;
  }

  /** The starts of this process. */
  RateBudgets budgets() {
    return budgets;
  }

  private void wakeAt(long at) {
    long now = System.nanoTime();
    long wanted = Math.max(at, now + LEAST_NAP_NANOS);
    long planned = wakesAt.get();
    while (planned == RateBudget.NEVER || planned - wanted > LEAST_NAP_NANOS) {
      if (wakesAt.compareAndSet(planned, wanted)) {
        schedule(wanted, wanted - now);
        return;
      }
      planned = wakesAt.get();
    }
  }

  private void schedule(long at, long nanos) {
    try {
      var unused = timer.schedule(() -> wakePlanned(at), nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("Rota is being closed, and leases no more starts", e);
    }
  }

  /** Wakes, unless an earlier time was planned meanwhile. */
  private void wakePlanned(long at) {
    if (wakesAt.compareAndSet(at, RateBudget.NEVER)) {
      wake();
    }
  }

  private void wake() {
    // Heartbeats use the timer too: none of its threads may wait for another that waits for a lock.
    if (!waking.tryLock()) {
      wakeAt(System.nanoTime());
      return;
    }
    try {
      budgets.forgetWants();
      begin();
      if (lease(budgets.demands())) {
        begin();
      }
    } finally {
      waking.unlock();
      budgets.wakeAtNext();
    }
  }

  /** Lets tasks begin, and tenants be visited again. */
  private void begin() {
    Set<Integer> tenants = budgets.takeLeftOut();
    for (TaskRules.Listener listener : listeners) {
      if (tenants == null) {
        listener.mayBegin();
      } else {
        listener.roomCame(tenants);
      }
    }
  }

  private boolean lease(List<Demand> demands) {
    if (demands.isEmpty()) {
      return false;
    }
    try {
      leaseNow(demands);
      troubled = false;
      return true;
    } catch (RuntimeException | Error e) {
      // Any error: after it the timer would wake no more.
      budgets.doubt(demands);
      if (!troubled) {
        log.warn("Rota cannot lease starts at rates, and keeps trying: {}", e.toString());
      }
      troubled = true;
      return false;
    }
  }

  private void leaseNow(List<Demand> demands) {
    List<ScopeLimits.Key> unknown = budgets.unknown(demands);
    if (!unknown.isEmpty()) {
      database.run("make buckets of rates", session -> store.make(session, unknown));
    }
    Map<Integer, Leased> leased = new HashMap<>();
    long sentAt = System.nanoTime();
    database.run("lease starts at rates", session -> leased.putAll(store.lease(session, demands)));
    long at = System.nanoTime();
    if (at - sentAt < LONGEST_TRIP_NANOS) {
      budgets.accept(demands, leased, new Answer(at, at - sentAt));
    } else {
      budgets.lose(demands, leased);
    }
  }
}
