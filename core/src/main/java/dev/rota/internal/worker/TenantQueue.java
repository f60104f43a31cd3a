package dev.rota.internal.worker;

import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.worker.QueuedTenant.ReadyQueue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides which tenants to visit, and when. Tenants whose tables changed take turns. A tenant whose
 * last visit left nothing is visited again after a second, to scan before the hint. That visit is
 * left out if all tasks that the counters show were claimed. All others rest. Thread-safe.
 *
 * <p>Each slot has its own tenants, for which its connection keeps statements. It takes those of
 * another slot only when they wait too long, or are too many. Planning a claim again costs more
 * than a short wait. It takes the same ones again (see {@link ClaimSlot}), and more only when they
 * wait much too long. Those of a slot that is away for long are taken at once.
 */
final class TenantQueue {

  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final int MANY = 12;
  private static final int GROWTH = 4;

  /** Of so many times as are taken, those with the lowest tags are taken. */
  private static final int CHOICE = 2;

  /** With weights, of so many: a tenant of little weight must not delay others. */
  private static final int WEIGHTED_CHOICE = 1_000;

  private final int batchSize;
  private final ReentrantLock lock;
  private final Set<Integer> visited;
  private final boolean several;
  private final LongSupplier nanoTime;
  private final Map<Integer, QueuedTenant> tenants = new HashMap<>();
  private final List<ReadyQueue> queues = new ArrayList<>();
  private volatile Order order;
  private volatile TaskRules rules = TaskRules.NONE;
  private Set<String> kinds = Set.of();
  private int turns;

  /** The number of a tenant to be visited, and the slots that may hold tasks, as bits. */
  record Visit(int tenant, int slots) {}

  /** Orders tenants where not all can be visited. */
  interface Order {

    /** The tag; a tenant with a lower one comes first. */
    double tag(int tenant);

    /** Whether enough tasks of a tenant are held. */
    boolean isSated(int tenant);

    /** How many tasks of a tenant are missing to its part, where weights decide. */
    default int missing(int tenant) {
      return Integer.MAX_VALUE;
    }

    /**
     * Looks at many tenants under one lock. Handlers take that lock with every task: to wait for it
     * once a tenant costs more than the claim.
     */
    default <T> T look(Supplier<T> look) {
      return look.get();
    }
  }

  /**
   * Creates an empty queue.
   *
   * @param batchSize how many tasks a visit claims at most
   * @param common the state that it shares with other queues of the same slots
   * @param order the order of the tenants
   */
  TenantQueue(int batchSize, ClaimSlot.Common common, Order order) {
    this.batchSize = batchSize;
    this.order = order;
    this.lock = common.lock();
    this.visited = common.visited();
    this.several = common.several();
    this.nanoTime = common.nanoTime();
    List<ClaimSlot> all = common.visitors();
    all.forEach(slot -> queues.add(new ReadyQueue(slot, all, nanoTime)));
  }

  /** Replaces the order. */
  void goBy(Order other) {
    order = other;
  }

  /**
   * Follows other rules. Tenants of which nothing may begin are not visited. Those of which other
   * tasks may begin than before are visited once: earlier visits may have left some.
   *
   * @param own the kinds that visits of this queue claim
   */
  void apply(TaskRules other, Set<String> own) {
    lock.lock();
    try {
      TaskRules before = rules;
      rules = other;
      kinds = own;
      for (QueuedTenant tenant : tenants.values()) {
        if (!before.pauses(tenant.number()).equals(other.pauses(tenant.number()))) {
          tenant.hold(isHeld(tenant.number()));
          tenant.recount(ClaimRequest.ALL_SLOTS);
        }
      }
      queues.forEach(ReadyQueue::leaveHeld);
    } finally {
      lock.unlock();
    }
  }

  private boolean isHeld(int tenant) {
    return rules != TaskRules.NONE && rules.pauses(tenant).holdAll(kinds);
  }

  private boolean isUneven() {
    return rules != TaskRules.NONE && rules.areUneven();
  }

  /** Records that an unknown number of tasks was inserted into these slots. */
  void changed(int tenant, int slots) {
    update(tenant, queued -> queued.changed(slots));
  }

  /** Records how many more inserts the counters show; an earlier visit may have taken them. */
  void counted(int tenant, int slots, long inserted) {
    update(tenant, queued -> queued.counted(slots, inserted));
  }

  /** Discards the earlier counts of a tenant. */
  void recount(int tenant, int slots) {
    update(tenant, queued -> queued.recount(slots));
  }

  private void update(int tenant, Consumer<QueuedTenant> change) {
    lock.lock();
    try {
      change.accept(tenantOf(tenant));
    } finally {
      lock.unlock();
    }
  }

  /** The tenants that it knows. Used under the lock. */
  Collection<QueuedTenant> tenants() {
    return tenants.values();
  }

  /** Whether a tenant has its turn, for a slot that holds the lock. */
  boolean isDue(int slot) {
    return firstFor(queues.get(slot)) != null;
  }

  /** The time since which the tenant waits whose turn it is, for a slot that holds the lock. */
  long waitingSince(int slot) {
    QueuedTenant first = firstFor(queues.get(slot));
    return first == null ? Long.MAX_VALUE : first.queuedAt();
  }

  /**
   * Takes tenants whose turn it is.
   *
   * @param slot the calling slot, from 0
   * @param most how many tenants at most
   * @param tasks the number of tasks to expect from the tenants together. A visit costs the same
   *     whatever it finds, so few long visits beat many short ones
   */
  List<Visit> take(int slot, int most, int tasks) {
    return take(slot, most, tasks, order::isSated);
  }

  /** Takes tenants as above, except those of which enough is held. */
  List<Visit> take(int slot, int most, int tasks, IntPredicate isSated) {
    lock.lock();
    try {
      ReadyQueue own = queues.get(slot);
      Deque<QueuedTenant> due = dueFor(own);
      List<Visit> visits = new ArrayList<>();
      long now = now();
      own.slot().came(now);
      int expected = 0;
      for (QueuedTenant tenant : chosen(own, due, most, isSated)) {
        if (visits.size() == most || expected >= tasks) {
          break;
        }
        visited.add(tenant.number());
        if (!own.has(tenant)) {
          own.slot().tookGuest(tenant.number(), now);
        }
        expected += expectedOf(tenant);
        visits.add(tenant.begin());
      }
      return visits;
    } finally {
      lock.unlock();
    }
  }

  /** By weight, a visit claims no more than the part of the tenant, however much it has. */
  private int expectedOf(QueuedTenant tenant) {
    return isUneven()
        ? Math.min(tenant.expected(), order.missing(tenant.number()))
        : tenant.expected();
  }

  private List<QueuedTenant> chosen(
      ReadyQueue own, Deque<QueuedTenant> due, int most, IntPredicate isSated) {
    return order.look(() -> alike(own.slot(), inOrder(candidates(own, due, most, isSated))));
  }

  private List<QueuedTenant> candidates(
      ReadyQueue own, Deque<QueuedTenant> due, int most, IntPredicate isSated) {
    List<QueuedTenant> candidates = new ArrayList<>();
    long now = now();
    for (QueuedTenant tenant : due) {
      if (candidates.size() >= (isUneven() ? WEIGHTED_CHOICE : CHOICE * most)) {
        break;
      }
      if (own.mayTake(tenant, now)
          && !visited.contains(tenant.number())
          && !isSated.test(tenant.number())) {
        candidates.add(tenant);
      }
    }
    return candidates;
  }

  /**
   * Sorts candidates: tenants with the lowest tags first, among equals the one that waits longest.
   */
  private List<QueuedTenant> inOrder(List<QueuedTenant> candidates) {
    if (candidates.size() > 1) {
      candidates.forEach(tenant -> tenant.tag(order.tag(tenant.number())));
      candidates.sort(isUneven() ? QueuedTenant.byTier(rules, turns++) : QueuedTenant.BY_TAG);
    }
    return candidates;
  }

  /**
   * Returns those whose visits take equally long. Tasks of a tenant with a few would otherwise wait
   * for the end of the long visit of another.
   */
  private static List<QueuedTenant> alike(ClaimSlot slot, List<QueuedTenant> candidates) {
    if (candidates.isEmpty()) {
      slot.endTurn();
      return candidates;
    }
    boolean first = isLong(candidates.get(0));
    boolean isLong = slot.beginTurn(first, candidates.stream().anyMatch(TenantQueue::isLong));
    return candidates.stream().filter(tenant -> isLong(tenant) == isLong).toList();
  }

  private static boolean isLong(QueuedTenant tenant) {
    return ClaimSlot.isLong(tenant.expected());
  }

  /** Records the end of a visit and the number of tasks that it claimed. */
  void visited(Visit visit, int claimed, ClaimResult.RingState state) {
    lock.lock();
    try {
      QueuedTenant tenant = end(visit);
      tenant.expect(expectedAfter(claimed, state));
      tenant.claimed(claimed, state);
      if (several && tenant.wasCostly(claimed, state)) {
        tenant.spare(state);
      } else {
        tenant.plan(state);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Records a failed visit: the tenant has to wait, so that its failures do not delay the others.
   */
  void failed(Visit visit) {
    lock.lock();
    try {
      end(visit).failed();
    } finally {
      lock.unlock();
    }
  }

  /** Removes the tenant of a visit, which no longer exists. */
  void gone(Visit visit) {
    lock.lock();
    try {
      end(visit);
      tenants.remove(visit.tenant());
    } finally {
      lock.unlock();
    }
  }

  private long now() {
    return nanoTime.getAsLong();
  }

  private QueuedTenant tenantOf(int number) {
    return tenants.computeIfAbsent(number, this::newTenant);
  }

  private QueuedTenant newTenant(int number) {
    QueuedTenant tenant = new QueuedTenant(number, queues.get(number % queues.size()));
    tenant.hold(isHeld(number));
    return tenant;
  }

  /**
   * Estimates the tasks of the next visit. A tenant that returned as many as requested has more, by
   * an unknown number.
   */
  private int expectedAfter(int claimed, ClaimResult.RingState state) {
    int expected = state == ClaimResult.RingState.MORE ? GROWTH * claimed : claimed;
    return Math.max(1, Math.min(expected, batchSize));
  }

  private Deque<QueuedTenant> dueFor(ReadyQueue own) {
    // Those of other slots too: their threads may be busy, or have no room for more tasks.
    queues.forEach(ReadyQueue::keepAppointments);
    if (first(own, own.due()) != null) {
      return own.due();
    }
    for (ReadyQueue other : queues) {
      if (other.slot().isInLongTurn() && first(own, other.due()) != null) {
        return other.due();
      }
    }
    Deque<QueuedTenant> longest = longest();
    QueuedTenant first = first(own, longest);
    return first != null && (longest.size() > MANY || now() - first.queuedAt() > PATIENCE_NANOS)
        ? longest
        : own.due();
  }

  private @Nullable QueuedTenant firstFor(ReadyQueue own) {
    return first(own, dueFor(own));
  }

  /**
   * Returns the first tenant that is not visited for another queue, and that this slot may take.
   */
  private @Nullable QueuedTenant first(ReadyQueue own, Deque<QueuedTenant> due) {
    long now = now();
    for (QueuedTenant tenant : due) {
      if (own.mayTake(tenant, now)
          && !visited.contains(tenant.number())
          && !order.isSated(tenant.number())) {
        return tenant;
      }
    }
    return null;
  }

  private Deque<QueuedTenant> longest() {
    Deque<QueuedTenant> longest = queues.get(0).due();
    for (ReadyQueue each : queues) {
      if (each.due().size() > longest.size()) {
        longest = each.due();
      }
    }
    return longest;
  }

  private QueuedTenant end(Visit visit) {
    QueuedTenant tenant = tenantOf(visit.tenant());
    visited.remove(visit.tenant());
    tenant.end();
    return tenant;
  }

  /**
   * The time until there may be work, for a slot that holds the lock: an appointment, or tenants of
   * others that wait too long.
   */
  long nanosToNext(int slot) {
    long nanos = longest().isEmpty() ? Long.MAX_VALUE : PATIENCE_NANOS;
    return Math.min(nanos, queues.get(slot).nanosToNext());
  }

  /**
   * The state of one thread that takes tenants from the queues of a worker: its condition, its last
   * turn, and its guests. Guests are tenants of other slots that it may take. Used under the lock
   * of the queues.
   *
   * <p>The backend behind its connection remembers the tables of each tenant that it has seen, and
   * has less room for prepared claims with each. So a slot may borrow few tenants of other slots at
   * first, and one more every twenty seconds. Tenants that keep their own slot constantly busy
   * become guests; tenants that waited once for others do not displace them. After ten minutes it
   * forgets all guests.
   */
  static final class ClaimSlot {

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
     * @param visited the tenants that are being visited for any queue. A second visit would find
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

    /** Records that the thread requests tenants. */
    void came(long now) {
      cameAt = now;
    }

    /** Whether a visit for so many tasks takes long. */
    static boolean isLong(int tasks) {
      return tasks >= LONG_VISIT;
    }

    /**
     * Begins a turn. It is for tenants with long visits if the first one is such a tenant, or if
     * the last turn left one behind.
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
     * Whether the thread has not requested tenants for long while a tenant waits, so that its
     * present work delays that one.
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
      return guests.isEmpty()
          || guests.size() < FIRST_GUESTS + (now - guestsSince) / ONE_MORE_NANOS;
    }
  }
}
