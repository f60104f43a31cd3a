package dev.rota.limits.internal;

import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.db.Database;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.ProcessLease;
import dev.rota.limits.internal.CapBudget.Demand;
import dev.rota.limits.internal.CapStore.Others;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Leases slots of caps for this process, and gives them back. It works only while the process has
 * tasks under a cap, or slots. Thread-safe.
 */
final class CapLease {

  private static final Logger log = Logs.of(CapLease.class);

  private static final long LOOK_MILLIS = 50;
  private static final long SOON_MILLIS = 2;

  private final Database database;
  private final CapStore store;
  private final ScheduledExecutorService timer;
  private final CapBudgets budgets = new CapBudgets(this::soon, this::roomCame);
  private final List<TaskRules.Listener> listeners;
  private final ReentrantLock looking = new ReentrantLock();
  private final AtomicBoolean comesSoon = new AtomicBoolean();
  private final AtomicBoolean ticks = new AtomicBoolean();
  private volatile @Nullable ProcessLease lease;
  private boolean troubled;

  /**
   * Creates the lease of one Rota.
   *
   * @param listeners are told when there is room
   */
  CapLease(
      Database database,
      RegistryTables tables,
      ScheduledExecutorService timer,
      CopyOnWriteArrayList<TaskRules.Listener> listeners) {
    this.database = database;
    this.store = new CapStore(tables);
    this.timer = timer;
    this.listeners = listeners;
  }

  /** The slots of this process. */
  CapBudgets budgets() {
    return budgets;
  }

  /** Gives it the lease under which the slots are held. */
  void leaseBy(ProcessLease own) {
    lease = own;
    budgets.leaseBy(own);
  }

  /** Looks soon, and then as long as there is something to look for. */
  private void soon() {
    if (comesSoon.compareAndSet(false, true)) {
      var unused = timer.schedule(this::comeSoon, SOON_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void comeSoon() {
    comesSoon.set(false);
    // Heartbeats use the timer too: none of its threads may wait for another that waits for a lock.
    if (!looking.tryLock()) {
      soon();
      return;
    }
    try {
      boolean unused = look();
    } finally {
      looking.unlock();
    }
    if (ticks.compareAndSet(false, true)) {
      tickLater();
    }
  }

  private void tickLater() {
    var unused = timer.schedule(this::tick, LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void tick() {
    if (looksAgain()) {
      tickLater();
      return;
    }
    ticks.set(false);
    if (budgets.areActive()) {
      soon();
    }
  }

  private boolean looksAgain() {
    if (!looking.tryLock()) {
      return true;
    }
    try {
      return look();
    } finally {
      looking.unlock();
    }
  }

  /** Looks, and tells whether to look again. Used under its lock. */
  private boolean look() {
    ProcessLease own = lease;
    if (own == null || !budgets.areActive()) {
      return false;
    }
    try {
      lease(own);
      troubled = false;
    } catch (RuntimeException | Error e) {
      // Any error: after it the timer would look no more.
      budgets.doubt();
      // Its row, on which the slots depend, may be gone.
      own.doubt();
      if (!troubled) {
        log.warn("Rota cannot lease slots of caps, and keeps trying: {}", e.toString());
      }
      troubled = true;
    }
    tell(budgets.takeLeftOut());
    return true;
  }

  /** Tells it on another thread: a handler that ends holds locks. */
  private void roomCame(int tenant) {
    timer.execute(() -> tell(Set.of(tenant)));
  }

  private void tell(Set<Integer> tenants) {
    listeners.forEach(listener -> listener.roomCame(tenants));
  }

  private void lease(ProcessLease own) {
    long worker = own.holder();
    long term = own.term();
    budgets.beginTerm(term);
    List<CapBudget> due = budgets.due();
    if (due.isEmpty()) {
      return;
    }
    List<ScopeLimits.Key> keys = due.stream().map(budget -> budget.key).toList();
    List<ScopeLimits.Key> unknown = budgets.unknown(due);
    if (!unknown.isEmpty()) {
      database.run("make budgets of caps", session -> store.make(session, unknown));
    }
    List<Others> others =
        database.transaction("look at caps", session -> store.look(session, keys, worker));
    List<Demand> demands = budgets.demands(due, others);
    Map<Integer, Integer> held =
        demands.isEmpty()
            ? Map.of()
            : database.transaction(
                "lease slots of caps", session -> store.lease(session, demands, worker));
    budgets.accept(demands, held, term);
  }
}
