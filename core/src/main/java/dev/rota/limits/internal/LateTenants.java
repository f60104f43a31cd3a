package dev.rota.limits.internal;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Finds the tenants whose tasks wait for ten seconds, by the counters of their tables: all tasks
 * that were there at a moment have begun once as many were removed. It takes up to twenty seconds.
 */
final class LateTenants {

  /** For how long a task waits until other workers help. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final LongSupplier nanoTime;
  private final Map<Integer, Noted> noted = new HashMap<>();
  private int looks;

  LateTenants(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * The counters of a tenant.
   *
   * @param pending how many tasks are in its rings
   * @param removed how many were removed so far
   */
  record Counters(long pending, long removed) {}

  /**
   * What was there at a moment.
   *
   * @param at when, by the clock of this process
   * @param removed how many tasks were removed by then
   * @param all how many are removed once all that were there have begun
   * @param late whether some have waited for too long
   */
  private record Noted(long at, long removed, long all, boolean late) {}

  /** Looks closer whether a tenant has an old task; counters show a removal seconds later. */
  @FunctionalInterface
  interface Look {
    boolean hasOldTask(int tenant);
  }

  /** The tenants that are late, of those with tasks; it looks closer at so many at most. */
  Set<Integer> of(Map<Integer, Counters> tenants, int most, Look look) {
    noted.keySet().retainAll(tenants.keySet());
    looks = most;
    tenants.forEach((tenant, counters) -> noted.put(tenant, next(tenant, counters, look)));
    Set<Integer> late = new HashSet<>();
    noted.forEach(
        (tenant, was) -> {
          if (was.late) {
            late.add(tenant);
          }
        });
    return late;
  }

  private Noted next(int tenant, Counters counters, Look look) {
    Noted before = noted.get(tenant);
    if (before == null || counters.removed < before.removed) {
      return note(counters, false);
    }
    boolean due = nanoTime.getAsLong() - before.at >= PATIENCE_NANOS;
    if (counters.removed >= before.all) {
      return note(counters, before.late && due);
    }
    return due && looks-- > 0 ? note(counters, look.hasOldTask(tenant)) : before;
  }

  private Noted note(Counters now, boolean late) {
    return new Noted(nanoTime.getAsLong(), now.removed, now.removed + now.pending, late);
  }
}
