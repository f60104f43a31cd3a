package dev.rota.limits.internal;

import dev.rota.internal.claim.TaskRules.Bound;
import dev.rota.internal.settle.ProcessLease;
import dev.rota.limits.internal.CapBudget.Demand;
import dev.rota.limits.internal.CapStore.Others;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The slots that this process holds. Tasks begin and end against them without any statement.
 * Thread-safe.
 */
final class CapBudgets {

  /** How often it learns whether handlers are busy. */
  private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** How many tasks with a slot wait for a handler on average where handlers are busy. */
  private static final double BUSY_FROM = 0.5;

  private static final double BUSY_UNTIL = 0.25;

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<ScopeLimits.Key, CapBudget> budgets = new HashMap<>();

  /** Those of all budgets, the later ones too: workers may still ask by former rules. */
  private CapRules caps = new CapRules(List.of(), tenant -> "", Map.of());

  private final Runnable soon;
  private final IntConsumer roomCame;
  private @Nullable ProcessLease lease;
  private long term = -1;
  private double waited;
  private long busyAt = System.nanoTime();
  private boolean busy;

  /**
   * Creates it without slots.
   *
   * @param soon lets slots be leased soon
   * @param roomCame lets a tenant be visited again, since a slot is free
   */
  CapBudgets(Runnable soon, IntConsumer roomCame) {
    this.soon = soon;
    this.roomCame = roomCame;
  }

  /** Gives it the lease of this process, without which nothing begins. */
  void leaseBy(ProcessLease own) {
    lock.lock();
    try {
      lease = own;
    } finally {
      lock.unlock();
    }
  }

  /** Follows other caps. */
  void apply(CapRules rules) {
    lock.lock();
    try {
      caps = rules;
      long now = System.nanoTime();
      budgets.values().forEach(budget -> budget.follow(rules.capOf(budget.key), now));
      dropOver();
    } finally {
      lock.unlock();
    }
  }

  /** Forgets budgets without a cap, once their slots are given back. Used under the lock. */
  private void dropOver() {
    boolean unused = budgets.values().removeIf(CapBudget::isOver);
  }

  private <T> T locked(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  /** What tasks need that count towards all of these. */
  Bound bound(List<ScopeLimits.Key> keys) {
    return new Slots(this, of(keys));
  }

  private List<CapBudget> of(List<ScopeLimits.Key> keys) {
    return locked(() -> keys.stream().map(this::budget).toList());
  }

  private CapBudget budget(ScopeLimits.Key key) {
    return budgets.computeIfAbsent(
        key, unused -> new CapBudget(key, caps.capOf(key), System.nanoTime()));
  }

  /** How many more tasks to claim that count towards all of these. */
  int room(List<ScopeLimits.Key> keys) {
    boolean news = false;
    int room = Integer.MAX_VALUE;
    lock.lock();
    try {
      for (ScopeLimits.Key key : keys) {
        CapBudget budget = budget(key);
        news |= budget.ask(System.nanoTime());
        room = Math.min(room, budget.room());
      }
    } finally {
      lock.unlock();
    }
    leaseIf(news);
    return room;
  }

  /** Whether no more tasks are to be claimed that count towards any of these. */
  boolean isFull(int tenant, List<ScopeLimits.Key> keys, boolean atOnce) {
    boolean news = false;
    boolean full = false;
    lock.lock();
    try {
      for (ScopeLimits.Key key : keys) {
        CapBudget budget = budget(key);
        news |= budget.ask(System.nanoTime());
        if (atOnce ? budget.isFullAtOnce() : budget.isFull()) {
          budget.leftOut(tenant, atOnce);
          full = true;
        }
      }
    } finally {
      lock.unlock();
    }
    leaseIf(news);
    return full;
  }

  private void leaseIf(boolean wanted) {
    if (wanted) {
      soon.run();
    }
  }

  /** The slots that a task takes: one of each budget. Equal for the same budgets. */
  private record Slots(CapBudgets all, List<CapBudget> own) implements Bound {

    @Override
    public @Nullable Object lacks() {
      return all.locked(this::lacksNow);
    }

    private @Nullable Object lacksNow() {
      if (!all.isLeased()) {
        return all;
      }
      for (CapBudget budget : own) {
        if (!budget.hasRoom()) {
          return budget;
        }
      }
      return null;
    }

    @Override
    public Collection<?> gives() {
      return own;
    }

    @Override
    public boolean tryBegin() {
      boolean begins =
          all.locked(
              () -> {
                boolean room = lacksNow() == null;
                if (room) {
                  long now = System.nanoTime();
                  own.forEach(budget -> budget.begin(now));
                } else {
                  own.forEach(budget -> budget.ask(System.nanoTime()));
                }
                return room;
              });
      all.leaseIf(!begins);
      return begins;
    }

    @Override
    public void end(long nanos) {
      boolean gives = false;
      List<Integer> next = new ArrayList<>();
      all.lock.lock();
      try {
        long now = System.nanoTime();
        for (CapBudget budget : own) {
          gives |= budget.end(nanos, now);
          budget.takeNextAtSlot().ifPresent(next::add);
        }
      } finally {
        all.lock.unlock();
      }
      next.forEach(all.roomCame::accept);
      all.leaseIf(gives);
    }

    @Override
    public boolean mayStillBegin(long takenAt) {
      all.waited(own, System.nanoTime() - takenAt);
      return true;
    }

    @Override
    public void waiting(int more) {
      all.lock.lock();
      try {
        own.forEach(budget -> budget.waiting += more);
      } finally {
        all.lock.unlock();
      }
      all.leaseIf(more > 0);
    }
  }

  private void waited(List<CapBudget> own, long nanos) {
    lock.lock();
    try {
      waited += nanos;
      own.forEach(budget -> budget.waited(nanos));
    } finally {
      lock.unlock();
    }
  }

  /** Learns whether tasks with a slot wait for handlers. Used under the lock. */
  private boolean learnBusy(long now) {
    if (now - busyAt >= BUSY_NANOS) {
      double inLine = waited / (now - busyAt);
      busy = inLine > (busy ? BUSY_UNTIL : BUSY_FROM);
      waited = 0;
      busyAt = now;
    }
    return busy;
  }

  private boolean isLeased() {
    return lease != null && lease.holds(term, System.nanoTime());
  }

  /** Whether there is something to know or to write, now or later. */
  boolean areActive() {
    long now = System.nanoTime();
    return locked(() -> budgets.values().stream().anyMatch(one -> one.isActive(now)));
  }

  /** The budgets about which there is something to know or to write now. */
  List<CapBudget> due() {
    long now = System.nanoTime();
    return locked(() -> budgets.values().stream().filter(one -> one.isDue(now)).toList());
  }

  /** Those of some budgets whose rows may not exist. */
  List<ScopeLimits.Key> unknown(List<CapBudget> some) {
    return locked(() -> some.stream().filter(one -> !one.isKnown()).map(one -> one.key).toList());
  }

  /**
   * Begins another term, if this process may have counted as dead since the last one: others may
   * have its slots.
   */
  void beginTerm(long present) {
    lock.lock();
    try {
      if (term != present) {
        budgets.values().forEach(CapBudget::lose);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Decides what to write, given what others have of these budgets. */
  List<Demand> demands(List<CapBudget> some, List<Others> others) {
    long now = System.nanoTime();
    lock.lock();
    try {
      boolean isBusy = learnBusy(now);
      List<Demand> demands = new ArrayList<>();
      for (int i = 0; i < some.size(); i++) {
        Demand demand = some.get(i).demand(others.get(i), isBusy, now);
        if (demand != null) {
          demands.add(demand);
        }
      }
      return demands;
    } finally {
      lock.unlock();
    }
  }

  /** Takes what the database granted in a term. */
  void accept(List<Demand> demands, Map<Integer, Integer> held, long inTerm) {
    long now = System.nanoTime();
    lock.lock();
    try {
      for (int i = 0; i < demands.size(); i++) {
        Demand demand = demands.get(i);
        demand.budget().accept(demand, held.getOrDefault(i, 0), now);
      }
      term = inTerm;
      dropOver();
    } finally {
      lock.unlock();
    }
  }

  /** Lets demands be written again whose fate is unknown. */
  void doubt() {
    lock.lock();
    try {
      budgets.values().forEach(CapBudget::doubt);
    } finally {
      lock.unlock();
    }
  }

  /** Takes the tenants that are to be visited again. */
  Set<Integer> takeLeftOut() {
    lock.lock();
    try {
      Set<Integer> tenants = new HashSet<>();
      budgets.values().forEach(budget -> tenants.addAll(budget.takeLeftOut()));
      return tenants;
    } finally {
      lock.unlock();
    }
  }
}
