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
 * The state of one thread that takes tenants from the queues of a worker: its condition, its last
 * turn, and its guests. Guests are tenants of other slots that it may take. Used under the lock of
 * the queues.
 *
 * <p>The backend behind its connection remembers the tables of each tenant that it has seen, and
 * has less room for prepared claims with each. So a slot may borrow few tenants of other slots at
 * first, and one more every twenty seconds. Tenants that keep their own slot constantly busy become
 * guests; tenants that waited once for others do not displace them. After ten minutes it forgets
 * all guests.
 */
final class ClaimSlot {

  static final int FIRST_GUESTS = 16;
  private static final long ONE_MORE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final long AWAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The tasks of a visit from which it takes milliseconds, for which others should not wait. */
  static final int LONG_VISIT = 256;

  private final Condition bell;
  private final Set<Integer> guests = new HashSet<>();
  private long guestsSince;
  private long cameAt;
  private boolean waits;
  private int rings;
  private int ringsHeard;
  private boolean inLongTurn;
  private boolean postponedLong;

  /**
   * The state that the queues of a worker share.
   *
   * @param lock guards them
   * @param visitors the slots that take tenants from them
   * @param several whether there is more than one queue
   * @param visited the tenants that are being visited for any queue. A second visit would find the
   *     tenant's gate closed, again and again if the first ones follow each other closely
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

  /** Records that the thread requests tenants. */
  void came(long now) {
    cameAt = now;
  }

  /** Whether a visit for so many tasks takes long. */
  static boolean isLong(int tasks) {
    return tasks >= LONG_VISIT;
  }

  /**
   * Begins a turn. It is for tenants with long visits if the first one is such a tenant, or if the
   * last turn left one behind.
   *
   * @return whether it is for them
   */
  boolean beginTurn(boolean first, boolean any) {
    inLongTurn = any && (first || postponedLong);
    postponedLong = any && !inLongTurn;
    return inLongTurn;
  }

  /** Ends the turn, if there is one. */
  void endTurn() {
    inLongTurn = false;
  }

  /** Whether the thread is away for long, so that others should take its tenants meanwhile. */
  boolean isInLongTurn() {
    return inLongTurn;
  }

  /** Records that the thread knows all tenants that have their turn now. */
  void looked() {
    ringsHeard = rings;
  }

  /**
   * Waits until another tenant has its turn than those that the thread knows, at most this long.
   *
   * @return the time that is left
   */
  long awaitOther(long nanos) throws InterruptedException {
    long left = nanos;
    waits = true;
    try {
      while (rings == ringsHeard && left > 0) {
        left = bell.awaitNanos(left);
      }
    } finally {
      waits = false;
    }
    return left;
  }

  /** Wakes the thread; if it is in a long turn, one of these that waits too. */
  void ring(List<ClaimSlot> all) {
    wake();
    if (inLongTurn) {
      all.stream().filter(slot -> slot.waits).findFirst().ifPresent(ClaimSlot::wake);
    }
  }

  private void wake() {
    rings++;
    bell.signal();
  }

  /**
   * Whether the thread has not requested tenants for long while a tenant waits, so that its present
   * work delays that one.
   */
  boolean isAway(long waitingSince, long now) {
    return now - waitingSince > AWAY_NANOS && now - cameAt > AWAY_NANOS;
  }

  /** Whether a tenant of another slot is a guest, or can become one. */
  boolean admits(int tenant, long now) {
    if (now - guestsSince > KEPT_NANOS) {
      guests.clear();
    }
    return hasPlace(now) || guests.contains(tenant);
  }

  /** Records a tenant of another slot, which its backend knows from now on, guest or not. */
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
