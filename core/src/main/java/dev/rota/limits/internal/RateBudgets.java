package dev.rota.limits.internal;

import dev.rota.internal.claim.TaskRules.Bound;
import dev.rota.limits.Limits;
import dev.rota.limits.Rate;
import dev.rota.limits.internal.RateBudget.Answer;
import dev.rota.limits.internal.RateBudget.Demand;
import dev.rota.limits.internal.RateBudget.Leased;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The starts at rates that this process has leased. Tasks begin against them without any statement.
 * Thread-safe.
 */
final class RateBudgets {

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<ScopeLimits.Key, RateBudget> budgets = new HashMap<>();
  private final LongConsumer wake;

  /** Those of all budgets, the later ones too: workers may still ask by former rules. */
  private ScopeLimits<Rate> present = new ScopeLimits<>(List.of(), tenant -> "", Limits::rate);

  /**
   * Creates it without starts.
   *
   * @param wake lets starts be leased at a time by {@link System#nanoTime}
   */
  RateBudgets(LongConsumer wake) {
    this.wake = wake;
  }

  private <T> T locked(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  /** Follows other rates. */
  void apply(ScopeLimits<Rate> rates) {
    long now = System.nanoTime();
    lock.lock();
    try {
      present = rates;
      budgets.values().forEach(budget -> budget.follow(rates.of(budget.key), now));
      boolean unused = budgets.values().removeIf(RateBudget::isOver);
    } finally {
      lock.unlock();
    }
    wakeAtNext();
  }

  /** What tasks need that count towards all of these. */
  Bound bound(List<ScopeLimits.Key> keys, ScopeLimits<Rate> rates) {
    return new Starts(this, of(keys, rates));
  }

  /**
   * The budgets of keys, the slowest first: of several, a start is leased only where all before it
   * have one.
   */
  private List<RateBudget> of(List<ScopeLimits.Key> keys, ScopeLimits<Rate> rates) {
    Comparator<ScopeLimits.Key> byStep =
        Comparator.comparingDouble(key -> Objects.requireNonNull(rates.of(key)).stepNanos());
    return locked(() -> keys.stream().sorted(byStep.reversed()).map(this::budget).toList());
  }

  private RateBudget budget(ScopeLimits.Key key) {
    return budgets.computeIfAbsent(
        key, unused -> new RateBudget(key, present.of(key), System.nanoTime()));
  }

  /** How many more tasks to claim that count towards all of these. */
  int room(List<ScopeLimits.Key> keys) {
    long now = System.nanoTime();
    return locked(
        () -> keys.stream().mapToInt(key -> budget(key).room(now)).min().orElse(Integer.MAX_VALUE));
  }

  /** Whether no more tasks are to be claimed that count towards any of these. */
  boolean isFull(int tenant, List<ScopeLimits.Key> keys) {
    long now = System.nanoTime();
    boolean full = false;
    lock.lock();
    try {
      for (ScopeLimits.Key key : keys) {
        RateBudget budget = budget(key);
        if (budget.isFull(now)) {
          budget.leftOut(tenant);
          full = true;
        }
      }
    } finally {
      lock.unlock();
    }
    return full;
  }

  /** The starts that a task takes: one of each budget. Equal for the same budgets. */
  private record Starts(RateBudgets all, List<RateBudget> own) implements Bound {

    @Override
    public @Nullable Object lacks() {
      return all.lacking(own);
    }

    @Override
    public boolean tryBegin() {
      return all.take(own);
    }

    @Override
    public boolean mayStillBegin(long takenAt) {
      return all.renew(own, takenAt);
    }

    @Override
    public void undo(long takenAt) {
      long now = System.nanoTime();
      all.lock.lock();
      try {
        own.forEach(budget -> budget.giveBack(takenAt, now));
      } finally {
        all.lock.unlock();
      }
      // Other tasks may wait for this start, and know of no time at which to ask again.
      all.wake.accept(now);
    }

    /** Does nothing: a start is used once. */
    @Override
    public void end(long nanos) {}

    @Override
    public void waiting(int more) {
      boolean news = all.locked(() -> own.stream().filter(one -> one.waits(more)).count() > 0);
      if (news) {
        all.wake.accept(System.nanoTime());
      }
    }
  }

  /** The first one without a start, which wants one; null if all have one. */
  private @Nullable RateBudget lacking(List<RateBudget> own) {
    RateBudget without = locked(() -> firstWithout(own, System.nanoTime()));
    if (without != null) {
      wakeAtNext(without);
    }
    return without;
  }

  private static @Nullable RateBudget firstWithout(List<RateBudget> own, long now) {
    for (RateBudget budget : own) {
      if (!budget.hasStart(now)) {
        budget.want(true);
        return budget;
      }
    }
    return null;
  }

  private boolean take(List<RateBudget> own) {
    RateBudget without =
        locked(
            () -> {
              RateBudget first = firstWithout(own, System.nanoTime());
              if (first == null) {
                own.forEach(RateBudget::take);
              } else {
                first.refuse();
              }
              return first;
            });
    if (without == null) {
      return true;
    }
    wakeAtNext(without);
    return false;
  }

  private boolean renew(List<RateBudget> own, long takenAt) {
    long now = System.nanoTime();
    return locked(
        () -> {
          boolean good = own.stream().allMatch(budget -> budget.isGood(takenAt, now));
          if (good) {
            own.forEach(budget -> budget.renew(takenAt, now));
          }
          return good;
        });
  }

  private void wakeAtNext(RateBudget budget) {
    long at = locked(() -> budget.nextEvent(System.nanoTime()));
    if (at != RateBudget.NEVER) {
      wake.accept(at);
    }
  }

  /** Wakes when there is something to do next. */
  void wakeAtNext() {
    long now = System.nanoTime();
    long at =
        locked(
            () ->
                budgets.values().stream()
                    .mapToLong(budget -> budget.nextEvent(now))
                    .min()
                    .orElse(RateBudget.NEVER));
    if (at != RateBudget.NEVER) {
      wake.accept(at);
    }
  }

  /** Lets only those budgets want a start whose tasks are about to ask again. */
  void forgetWants() {
    lock.lock();
    try {
      budgets.values().forEach(budget -> budget.want(false));
    } finally {
      lock.unlock();
    }
  }

  /** Decides what to lease now. */
  List<Demand> demands() {
    long now = System.nanoTime();
    return locked(
        () -> {
          List<Demand> demands = new ArrayList<>();
          for (RateBudget budget : budgets.values()) {
            Demand demand = budget.demand(now);
            if (demand != null) {
              demands.add(demand);
            }
          }
          return demands;
        });
  }

  /** Those of some budgets whose rows may not exist. */
  List<ScopeLimits.Key> unknown(List<Demand> some) {
    return locked(
        () ->
            some.stream()
                .map(Demand::budget)
                .filter(one -> !one.isKnown())
                .map(one -> one.key)
                .toList());
  }

  /** Takes what the database granted, by the place of the demand; a missing row granted nothing. */
  void accept(List<Demand> demands, Map<Integer, Leased> leased, Answer answer) {
    lock.lock();
    try {
      for (int i = 0; i < demands.size(); i++) {
        Leased own = leased.get(i);
        if (own == null) {
          demands.get(i).budget().doubt();
        } else {
          demands.get(i).budget().accept(demands.get(i), own, answer);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Lets starts go back that the database granted, and no task may use. */
  void lose(List<Demand> demands, Map<Integer, Leased> leased) {
    lock.lock();
    try {
      leased.forEach((place, own) -> demands.get(place).budget().lose(demands.get(place), own));
    } finally {
      lock.unlock();
    }
  }

  /** Lets rows be made again whose fate is unknown. */
  void doubt(List<Demand> some) {
    lock.lock();
    try {
      some.forEach(demand -> demand.budget().doubt());
    } finally {
      lock.unlock();
    }
  }

  /** Takes the tenants to visit again; null if none may be visited that was not before. */
  @Nullable Set<Integer> takeLeftOut() {
    long now = System.nanoTime();
    lock.lock();
    try {
      boolean any = false;
      Set<Integer> tenants = new HashSet<>();
      for (RateBudget budget : budgets.values()) {
        any |= budget.takeSated(now);
        tenants.addAll(budget.takeLeftOut(now));
      }
      return any || !tenants.isEmpty() ? tenants : null;
    } finally {
      lock.unlock();
    }
  }
}
