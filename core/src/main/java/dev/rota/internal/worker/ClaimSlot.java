package dev.rota.internal.worker;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Who takes tenants from the agendas of a worker: what wakes it, when it came last, and its guests,
 * the tenants of other visitors that it takes without much ado. Used under the lock of the agendas.
 *
 * <p>The process of the server behind its connection remembers the tables of each tenant that it
 * has seen, and has the less room for prepared claims. So guests are few at first, and may be one
 * more every twenty seconds: tenants that keep their own visitor busy all the while come among
 * them, and those that met it once in the way of others do not crowd them out. After ten minutes
 * all begins anew.
 */
final class ClaimSlot {

  static final int FIRST_GUESTS = 16;
  private static final long ONE_MORE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final long AWAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Condition bell;
  private final Set<Integer> guests = new HashSet<>();
  private long guestsSince;
  private long cameAt;

  /**
   * What the agendas of a worker share.
   *
   * @param lock guards them
   * @param visitors who takes tenants from them
   * @param several whether there is more than one agenda
   * @param visited the tenants that are being visited for any of them: a second visit would find
   *     the tenant's gate closed, again and again if the first ones follow each other closely
   * @param nanoTime the clock of turns and appointments
   */
  record Common(
      ReentrantLock lock,
      List<ClaimSlot> visitors,
      boolean several,
      Set<Integer> visited,
      LongSupplier nanoTime) {

    static Common of(int visitors, boolean several, LongSupplier nanoTime) {
      ReentrantLock lock = new ReentrantLock();
      return new Common(
          lock,
          Stream.generate(() -> new ClaimSlot(lock.newCondition(), nanoTime.getAsLong()))
              .limit(visitors)
              .toList(),
          several,
          new HashSet<>(),
          nanoTime);
    }
  }

  ClaimSlot(Condition bell, long now) {
    this.bell = bell;
    this.cameAt = now;
  }

  /** What wakes it. */
  Condition bell() {
    return bell;
  }

  /** It asks for tenants. */
  void came(long now) {
    cameAt = now;
  }

  /** Whether it has long not come to a tenant that waits: what it does now holds that one up. */
  boolean isAway(long waitingSince, long now) {
    return now - waitingSince > AWAY_NANOS && now - cameAt > AWAY_NANOS;
  }

  /** Whether a tenant of another is one of its guests, or can become one. */
  boolean admits(int tenant, long now) {
    if (now - guestsSince > KEPT_NANOS) {
      guests.clear();
    }
    return hasPlace(now) || guests.contains(tenant);
  }

  /** It took a tenant of another: whether or not it admits that one, it knows it from now on. */
  void tookGuest(int tenant, long now) {
    if (guests.isEmpty()) {
      guestsSince = now;
    }
    guests.add(tenant);
  }

  private boolean hasPlace(long now) {
    return guests.isEmpty() || guests.size() < FIRST_GUESTS + (now - guestsSince) / ONE_MORE_NANOS;
  }
}
