package dev.rota.internal.worker;

import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.ClaimResult;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which tenants to visit, and when. Tenants whose tables changed take turns. A tenant whose
 * last visit left nothing is visited again after a second, to scan before the hint. That visit is
 * left out if all tasks that the counters show were claimed. All others rest. Thread-safe.
 *
 * <p>Each slot has its own tenants, for which its connection keeps statements. It takes those of
 * another slot only when they wait too long, or are too many. Planning a claim again costs more
 * than a short wait. It takes the same ones again (see {@link ClaimSlot}), and more only when they
 * wait much too long.
 */
final class TenantQueue {

  private static final long RESCAN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long PENALTY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long MOST_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /**
   * The cost from which visits are rationed. A visit for rare kinds reads over all others and holds
   * their gate meanwhile. If that takes long it may take no more than one part in ten of the time.
   */
  private static final long COSTLY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private static final int COST_SHARE = 10;
  private static final long LONGEST_SPARED_NANOS = TimeUnit.MILLISECONDS.toNanos(700);
  private static final int MANY = 12;
  private static final int GROWTH = 4;

  /** Of so many whose turn it is, those with the lowest tags are taken. */
  private static final int LOOKED_AT = 24;

  private final int batchSize;
  private final ReentrantLock lock;
  private final Set<Integer> visited;
  private final boolean several;
  private final LongSupplier nanoTime;
  private final Map<Integer, Entry> entries = new HashMap<>();
  private final List<Turns> turns = new ArrayList<>();
  private volatile Order order;

  /**
   * A tenant to be visited.
   *
   * @param tenant its number
   * @param slots the slots that may hold tasks, as bits
   */
  record Visit(int tenant, int slots) {}

  /** Orders tenants where not all can be visited. */
  interface Order {

    /** The tag; a tenant with a lower one comes first. */
    double tag(int tenant);

    /** Whether enough tasks of a tenant are held. */
    boolean isSated(int tenant);

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
    common.visitors().forEach(slot -> turns.add(new Turns(slot)));
  }

  private record Appointment(Entry entry, long dueAt) {}

  /** The tenants of one slot: those whose turn has come, and those with an appointment. */
  private record Turns(ClaimSlot slot, Deque<Entry> due, PriorityQueue<Appointment> appointments) {

    Turns(ClaimSlot slot) {
      this(
          slot,
          new ArrayDeque<>(),
          new PriorityQueue<>(Comparator.comparingLong(Appointment::dueAt)));
    }

    boolean has(Entry entry) {
      return entry.turns.slot == slot;
    }
  }

  private static final class Entry {
    private final int tenant;
    private final Turns turns;
    private final BacklogEstimate balance = new BacklogEstimate();
    private int dirtySlots;
    private int visitedSlots;
    private int countedSlots;
    private boolean queued;
    private boolean visiting;
    private boolean penalized;
    private boolean spared;
    private long beganAt;
    private int expected = 1;
    private double tag;
    private long queuedAt;
    private long nextLook = Long.MIN_VALUE;

    Entry(int tenant, Turns turns) {
      this.tenant = tenant;
      this.turns = turns;
    }
  }

  /** Replaces the order. */
  void goBy(Order other) {
    order = other;
  }

  /** Records that an unknown number of tasks was inserted into these slots. */
  void changed(int tenant, int slots) {
    lock.lock();
    try {
      Entry entry = entryOf(tenant);
      entry.dirtySlots |= slots;
      queue(entry);
    } finally {
      lock.unlock();
    }
  }

  /** Records how many more inserts the counters show; an earlier visit may have taken them. */
  void counted(int tenant, int slots, long inserted) {
    lock.lock();
    try {
      Entry entry = entryOf(tenant);
      entry.countedSlots |= slots;
      entry.balance.counted(inserted);
      if (!entry.visiting) {
        acceptCounted(entry);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Discards the earlier counts of a tenant. */
  void recount(int tenant, int slots) {
    lock.lock();
    try {
      Entry entry = entryOf(tenant);
      entry.balance.forget();
      entry.dirtySlots |= slots | entry.countedSlots;
      entry.countedSlots = 0;
      queue(entry);
    } finally {
      lock.unlock();
    }
  }

  /** Whether a tenant has its turn, for a slot that holds the lock. */
  boolean isDue(int slot) {
    return firstFor(turns.get(slot)) != null;
  }

  /** The time since which the tenant waits whose turn it is, for a slot that holds the lock. */
  long waitingSince(int slot) {
    Entry first = firstFor(turns.get(slot));
    return first == null ? Long.MAX_VALUE : first.queuedAt;
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
      Turns own = turns.get(slot);
      Deque<Entry> due = dueFor(own);
      List<Visit> visits = new ArrayList<>();
      long now = now();
      own.slot().came(now);
      int expected = 0;
      for (Entry entry : order.look(() -> inOrder(candidates(own, due, isSated)))) {
        if (visits.size() == most || expected >= tasks) {
          break;
        }
        due.remove(entry);
        visited.add(entry.tenant);
        if (!own.has(entry)) {
          own.slot().tookGuest(entry.tenant, now);
        }
        expected += entry.expected;
        visits.add(begin(entry));
      }
      return visits;
    } finally {
      lock.unlock();
    }
  }

  private List<Entry> candidates(Turns own, Deque<Entry> due, IntPredicate isSated) {
    List<Entry> candidates = new ArrayList<>();
    long now = now();
    for (Entry entry : due) {
      if (candidates.size() == LOOKED_AT) {
        break;
      }
      if (mayTake(own, entry, now)
          && !visited.contains(entry.tenant)
          && !isSated.test(entry.tenant)) {
        candidates.add(entry);
      }
    }
    return candidates;
  }

  /**
   * Sorts candidates: tenants with the lowest tags first, among equals the one that waits longest.
   */
  private List<Entry> inOrder(List<Entry> candidates) {
    if (candidates.size() > 1) {
      candidates.forEach(entry -> entry.tag = order.tag(entry.tenant));
      candidates.sort(Comparator.comparingDouble(entry -> entry.tag));
    }
    return candidates;
  }

  /** Records the end of a visit and the number of tasks that it claimed. */
  void visited(Visit visit, int claimed, ClaimResult.RingState state) {
    lock.lock();
    try {
      Entry entry = end(visit);
      entry.expected = expectedAfter(claimed, state);
      entry.balance.claimed(claimed);
      if (state == ClaimResult.RingState.EMPTY) {
        entry.balance.sawAll(now());
      }
      if (isCostly(entry, claimed, state)) {
        spare(entry, state);
        return;
      }
      acceptCounted(entry);
      switch (state) {
        case MORE -> {
          entry.dirtySlots |= entry.visitedSlots;
          queue(entry);
        }
        case CAUGHT_UP -> lookBehindTheHint(entry);
        case BUSY -> lookAgain(entry, BUSY_NANOS);
        case EMPTY -> queueIfDirty(entry);
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
      Entry entry = end(visit);
      entry.penalized = true;
      entry.balance.forget();
      lookAgain(entry, PENALTY_NANOS);
    } finally {
      lock.unlock();
    }
  }

  /** Removes the tenant of a visit, which no longer exists. */
  void gone(Visit visit) {
    lock.lock();
    try {
      end(visit);
      entries.remove(visit.tenant());
    } finally {
      lock.unlock();
    }
  }

  private long now() {
    return nanoTime.getAsLong();
  }

  private boolean isCostly(Entry entry, int claimed, ClaimResult.RingState state) {
    return several
        && claimed == 0
        && state != ClaimResult.RingState.BUSY
        && now() - entry.beganAt > COSTLY_NANOS;
  }

  /** Delays the next visit: changes from now on are remembered, and visited a little later. */
  private void spare(Entry entry, ClaimResult.RingState state) {
    if (state != ClaimResult.RingState.EMPTY) {
      entry.dirtySlots |= entry.visitedSlots;
    }
    entry.penalized = true;
    entry.spared = true;
    long spent = now() - entry.beganAt;
    appoint(entry, Math.min(COST_SHARE * spent, LONGEST_SPARED_NANOS));
  }

  private Entry entryOf(int tenant) {
    return entries.computeIfAbsent(
        tenant, number -> new Entry(number, turns.get(number % turns.size())));
  }

  /**
   * Estimates the tasks of the next visit. A tenant that returned as many as requested has more, by
   * an unknown number.
   */
  private int expectedAfter(int claimed, ClaimResult.RingState state) {
    int expected = state == ClaimResult.RingState.MORE ? GROWTH * claimed : claimed;
    return Math.max(1, Math.min(expected, batchSize));
  }

  private Deque<Entry> dueFor(Turns own) {
    turns.forEach(this::keepAppointments);
    if (first(own, own.due()) != null) {
      return own.due();
    }
    Deque<Entry> longest = longest();
    Entry first = first(own, longest);
    return first != null && (longest.size() > MANY || now() - first.queuedAt > PATIENCE_NANOS)
        ? longest
        : own.due();
  }

  private @Nullable Entry firstFor(Turns own) {
    return first(own, dueFor(own));
  }

  /**
   * Returns the first tenant that is not visited for another queue, and that this slot may take.
   */
  private @Nullable Entry first(Turns own, Deque<Entry> due) {
    long now = now();
    for (Entry entry : due) {
      if (mayTake(own, entry, now)
          && !visited.contains(entry.tenant)
          && !order.isSated(entry.tenant)) {
        return entry;
      }
    }
    return null;
  }

  private static boolean mayTake(Turns own, Entry entry, long now) {
    return own.has(entry) || own.slot().admits(entry.tenant, now) || waitsTooLong(entry, now);
  }

  private static boolean waitsTooLong(Entry entry, long now) {
    return now - entry.queuedAt > MOST_PATIENCE_NANOS
        || entry.turns.slot().isAway(entry.queuedAt, now);
  }

  private Deque<Entry> longest() {
    Deque<Entry> longest = turns.get(0).due();
    for (Turns each : turns) {
      if (each.due().size() > longest.size()) {
        longest = each.due();
      }
    }
    return longest;
  }

  private Visit begin(Entry entry) {
    entry.queued = false;
    entry.visiting = true;
    entry.beganAt = now();
    entry.visitedSlots = entry.dirtySlots == 0 ? ClaimRequest.ALL_SLOTS : entry.dirtySlots;
    entry.dirtySlots = 0;
    entry.nextLook = Long.MIN_VALUE;
    entry.balance.visit();
    return new Visit(entry.tenant, entry.visitedSlots);
  }

  private Entry end(Visit visit) {
    Entry entry = entryOf(visit.tenant());
    entry.visiting = false;
    visited.remove(visit.tenant());
    // Its turn may have come in another queue meanwhile.
    entry.turns.slot().bell().signal();
    return entry;
  }

  /**
   * Queues a tenant whose counted inserts exceed the claimed tasks. Until then the slots are
   * remembered. Tasks of one slot may have been taken whose count is still to come, while others
   * are pending in the slot that was counted.
   */
  private void acceptCounted(Entry entry) {
    if (entry.countedSlots != 0 && entry.balance.isPositive(now())) {
      entry.dirtySlots |= entry.countedSlots;
      entry.countedSlots = 0;
      queue(entry);
    }
  }

  private void queueIfDirty(Entry entry) {
    if (entry.dirtySlots != 0) {
      queue(entry);
    }
  }

  /**
   * Queues a tenant. During a visit it only remembers the change, which the visit may have missed.
   */
  private void queue(Entry entry) {
    if (!entry.queued && !entry.visiting && !entry.penalized) {
      entry.queued = true;
      entry.queuedAt = now();
      entry.turns.due().addLast(entry);
      entry.turns.slot().bell().signal();
    }
  }

  /**
   * Plans a visit that scans before the hint. If all counted tasks are claimed, no task is left
   * there. But some claimed tasks may not be counted yet, even in another slot: the slots are
   * visited again as soon as they are.
   */
  private void lookBehindTheHint(Entry entry) {
    if (entry.balance.isPositive(now())) {
      lookAgain(entry, RESCAN_NANOS);
    } else {
      entry.countedSlots |= entry.visitedSlots;
      queueIfDirty(entry);
    }
  }

  private void lookAgain(Entry entry, long nanos) {
    boolean dirty = entry.dirtySlots != 0;
    entry.dirtySlots |= entry.visitedSlots;
    if (dirty && nanos == RESCAN_NANOS) {
      queue(entry);
    }
    appoint(entry, nanos);
  }

  private void appoint(Entry entry, long nanos) {
    long jitter = ThreadLocalRandom.current().nextLong(nanos / 4 + 1);
    entry.nextLook = now() + nanos + jitter;
    entry.turns.appointments().add(new Appointment(entry, entry.nextLook));
  }

  /**
   * Queues tenants whose appointment has come, and skips appointments that a later visit made void.
   * Those of other slots are processed as well: their thread may be busy, or have no room for more
   * tasks.
   */
  private void keepAppointments(Turns each) {
    long now = now();
    PriorityQueue<Appointment> appointments = each.appointments();
    while (!appointments.isEmpty() && appointments.peek().dueAt() - now <= 0) {
      Appointment due = appointments.remove();
      if (due.entry().nextLook == due.dueAt()) {
        due.entry().nextLook = Long.MIN_VALUE;
        due.entry().penalized = false;
        if (due.entry().spared) {
          due.entry().spared = false;
          acceptCounted(due.entry());
          queueIfDirty(due.entry());
        } else {
          queue(due.entry());
        }
      }
    }
  }

  /**
   * The time until there may be work, for a slot that holds the lock: an appointment, or tenants of
   * others that wait too long.
   */
  long nanosToNext(int slot) {
    Turns own = turns.get(slot);
    long nanos = longest().isEmpty() ? Long.MAX_VALUE : PATIENCE_NANOS;
    Appointment next = own.appointments().peek();
    return next == null ? nanos : Math.min(nanos, Math.max(1, next.dueAt() - now()));
  }
}
