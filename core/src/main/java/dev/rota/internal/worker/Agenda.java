package dev.rota.internal.worker;

import dev.rota.internal.Claim;
import dev.rota.internal.ClaimRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Which tenants to visit, and when. Tenants whose tables changed take turns; one that was caught up
 * with is visited again after a second, to look behind the hint, unless all that the counters show
 * was claimed; all others rest. Thread-safe.
 *
 * <p>Each visitor has tenants of its own, for which its connection keeps statements. It takes those
 * of another only when they wait too long, or are too many: to plan a claim anew costs more than to
 * wait a little.
 */
final class Agenda {

  private static final long RESCAN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long PENALTY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final int MANY = 12;
  private static final int GROWTH = 4;

  private final int batchSize;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Integer, Entry> entries = new HashMap<>();
  private final List<Turns> turns = new ArrayList<>();

  /**
   * A tenant to be visited.
   *
   * @param tenant its number
   * @param slots the slots that may hold something, as bits
   */
  record Visit(int tenant, int slots) {}

  /**
   * An empty one.
   *
   * @param batchSize how many tasks a visit gives at most
   * @param visitors how many take tenants from it
   */
  Agenda(int batchSize, int visitors) {
    this.batchSize = batchSize;
    for (int i = 0; i < visitors; i++) {
      turns.add(new Turns(lock.newCondition()));
    }
  }

  private record Appointment(Entry entry, long dueAt) {}

  /** The tenants of one visitor: those whose turn has come, and those with an appointment. */
  private record Turns(
      Condition changed, Deque<Entry> due, PriorityQueue<Appointment> appointments) {

    Turns(Condition changed) {
      this(
          changed,
          new ArrayDeque<>(),
          new PriorityQueue<>(Comparator.comparingLong(Appointment::dueAt)));
    }
  }

  private static final class Entry {
    private final int tenant;
    private final Turns turns;
    private final Balance balance = new Balance();
    private int dirtySlots;
    private int visitedSlots;
    private int countedSlots;
    private boolean queued;
    private boolean visiting;
    private boolean penalized;
    private int expected = 1;
    private long queuedAt;
    private long nextLook = Long.MIN_VALUE;

    Entry(int tenant, Turns turns) {
      this.tenant = tenant;
      this.turns = turns;
    }
  }

  /** Something was inserted into these slots, nobody says how much. */
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

  /** The counters show so many more inserts; a visit that was prompter may have taken them. */
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

  /** What was counted before is no longer to be relied upon. */
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

  /**
   * Waits until it is the turn of a tenant, at most this long.
   *
   * @param visitor who asks, from 0
   * @return whether there is one
   */
  boolean await(int visitor, long waitNanos) throws InterruptedException {
    lock.lock();
    try {
      Turns own = turns.get(visitor);
      for (long left = waitNanos; dueFor(own).isEmpty() && left > 0; ) {
        long nap = Math.min(left, nanosToNext(own));
        left -= nap - own.changed().awaitNanos(nap);
      }
      return !dueFor(own).isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The tenants whose turn it is.
   *
   * @param visitor who asks, from 0
   * @param most how many tenants at most
   * @param tasks as many tenants as are expected to give that many tasks: a visit costs the same
   *     whatever it finds, so that few long visits beat many short ones
   */
  List<Visit> take(int visitor, int most, int tasks) {
    lock.lock();
    try {
      Deque<Entry> due = dueFor(turns.get(visitor));
      List<Visit> visits = new ArrayList<>();
      int expected = 0;
      while (visits.size() < most && expected < tasks && !due.isEmpty()) {
        Entry entry = due.removeFirst();
        expected += entry.expected;
        visits.add(begin(entry));
      }
      return visits;
    } finally {
      lock.unlock();
    }
  }

  /** A visit is over, and claimed so many tasks. */
  void visited(Visit visit, int claimed, Claim.Standing standing) {
    lock.lock();
    try {
      Entry entry = end(visit);
      entry.expected = expectedAfter(claimed, standing);
      entry.balance.claimed(claimed);
      if (standing == Claim.Standing.EMPTY) {
        entry.balance.sawAll(System.nanoTime());
      }
      acceptCounted(entry);
      switch (standing) {
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

  /** A visit failed: the tenant has to wait, so that its trouble does not hold up the others. */
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

  private Entry entryOf(int tenant) {
    return entries.computeIfAbsent(
        tenant, number -> new Entry(number, turns.get(number % turns.size())));
  }

  /** A tenant that gave all it was asked for has more, nobody knows how much. */
  private int expectedAfter(int claimed, Claim.Standing standing) {
    int expected = standing == Claim.Standing.MORE ? GROWTH * claimed : claimed;
    return Math.max(1, Math.min(expected, batchSize));
  }

  private Deque<Entry> dueFor(Turns own) {
    turns.forEach(this::keepAppointments);
    if (!own.due().isEmpty()) {
      return own.due();
    }
    Deque<Entry> longest = longest();
    return longest.size() > MANY || waitsTooLong(longest.peekFirst()) ? longest : own.due();
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

  private static boolean waitsTooLong(@Nullable Entry first) {
    return first != null && System.nanoTime() - first.queuedAt > PATIENCE_NANOS;
  }

  private Visit begin(Entry entry) {
    entry.queued = false;
    entry.visiting = true;
    entry.visitedSlots = entry.dirtySlots == 0 ? ClaimRequest.ALL_SLOTS : entry.dirtySlots;
    entry.dirtySlots = 0;
    entry.nextLook = Long.MIN_VALUE;
    entry.balance.visit();
    return new Visit(entry.tenant, entry.visitedSlots);
  }

  private Entry end(Visit visit) {
    Entry entry = entryOf(visit.tenant());
    entry.visiting = false;
    return entry;
  }

  /**
   * While the balance is not positive the slots are remembered: tasks of one may have been taken
   * whose count is still to come, and then others are pending there where the count was.
   */
  private void acceptCounted(Entry entry) {
    if (entry.countedSlots != 0 && entry.balance.isPositive(System.nanoTime())) {
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
   * While a tenant is being visited it only remembers what changed: the visit may have missed it.
   */
  private void queue(Entry entry) {
    if (!entry.queued && !entry.visiting && !entry.penalized) {
      entry.queued = true;
      entry.queuedAt = System.nanoTime();
      entry.turns.due().addLast(entry);
      entry.turns.changed().signal();
    }
  }

  /**
   * Where all that was counted is claimed, nothing is left there. But some of what was claimed may
   * not be counted yet, in another slot even: the slots are visited again as soon as it is.
   */
  private void lookBehindTheHint(Entry entry) {
    if (entry.balance.isPositive(System.nanoTime())) {
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
    long jitter = ThreadLocalRandom.current().nextLong(nanos / 4 + 1);
    entry.nextLook = System.nanoTime() + nanos + jitter;
    entry.turns.appointments().add(new Appointment(entry, entry.nextLook));
  }

  /**
   * An appointment that a later visit made void is passed over. Those of others are kept as well:
   * the other may be busy, or have no room for more tasks.
   */
  private void keepAppointments(Turns each) {
    long now = System.nanoTime();
    PriorityQueue<Appointment> appointments = each.appointments();
    while (!appointments.isEmpty() && appointments.peek().dueAt() - now <= 0) {
      Appointment due = appointments.remove();
      if (due.entry().nextLook == due.dueAt()) {
        due.entry().nextLook = Long.MIN_VALUE;
        due.entry().penalized = false;
        queue(due.entry());
      }
    }
  }

  /** Until there may be something to do: an appointment, or others who wait too long. */
  private long nanosToNext(Turns own) {
    long nanos = longest().isEmpty() ? Long.MAX_VALUE : PATIENCE_NANOS;
    Appointment next = own.appointments().peek();
    return next == null ? nanos : Math.min(nanos, Math.max(1, next.dueAt() - System.nanoTime()));
  }
}
