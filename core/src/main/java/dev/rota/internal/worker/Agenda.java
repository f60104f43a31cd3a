package dev.rota.internal.worker;

import dev.rota.internal.Claim;
import dev.rota.internal.ClaimRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
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

/**
 * Which tenants to visit, and when. Tenants whose tables changed take turns; one that was caught up
 * with is visited again after a second, to look behind the hint; all others rest. Thread-safe.
 */
final class Agenda {

  private static final long RESCAN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long PENALTY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int GROWTH = 4;

  private final int batchSize;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<Integer, Entry> entries = new HashMap<>();
  private final List<Deque<Entry>> turns = new ArrayList<>();
  private final PriorityQueue<Appointment> appointments =
      new PriorityQueue<>(Comparator.comparingLong(Appointment::dueAt));

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
   * @param visitors how many take tenants from it; each has tenants of its own, for which its
   *     connection keeps statements, and takes others only when it has nothing else to do
   */
  Agenda(int batchSize, int visitors) {
    this.batchSize = batchSize;
    for (int i = 0; i < visitors; i++) {
      turns.add(new ArrayDeque<>());
    }
  }

  private record Appointment(Entry entry, long dueAt) {}

  private static final class Entry {
    private final int tenant;
    private int dirtySlots;
    private int visitedSlots;
    private boolean queued;
    private boolean visiting;
    private boolean penalized;
    private int expected = 1;
    private long nextLook = Long.MIN_VALUE;

    Entry(int tenant) {
      this.tenant = tenant;
    }
  }

  /** Something was inserted into these slots. */
  void changed(int tenant, int slots) {
    lock.lock();
    try {
      Entry entry = entries.computeIfAbsent(tenant, Entry::new);
      entry.dirtySlots |= slots;
      queue(entry);
    } finally {
      lock.unlock();
    }
  }

  /**
   * The tenants whose turn it is; waits for the first one, at most this long.
   *
   * @param visitor who asks, from 0
   * @param most how many tenants at most
   * @param tasks as many tenants as are expected to give that many tasks: a visit costs the same
   *     whatever it finds, so that few long visits beat many short ones
   */
  List<Visit> take(int visitor, int most, int tasks, long waitNanos) throws InterruptedException {
    lock.lock();
    try {
      keepAppointments();
      long left = Math.min(waitNanos, nanosToNextAppointment(waitNanos));
      while (waiting() == 0 && left > 0) {
        left = changed.awaitNanos(left);
      }
      keepAppointments();
      Deque<Entry> due = turnsFor(visitor);
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

  /** A visit is over. */
  void visited(Visit visit, Claim claim) {
    lock.lock();
    try {
      Entry entry = end(visit);
      entry.expected = expectedAfter(claim);
      switch (claim.standing()) {
        case MORE -> {
          entry.dirtySlots |= entry.visitedSlots;
          queue(entry);
        }
        case CAUGHT_UP -> lookAgain(entry, RESCAN_NANOS);
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
      lookAgain(entry, PENALTY_NANOS);
    } finally {
      lock.unlock();
    }
  }

  /** How many tenants wait for their turn. */
  int waiting() {
    lock.lock();
    try {
      keepAppointments();
      return turns.stream().mapToInt(Deque::size).sum();
    } finally {
      lock.unlock();
    }
  }

  /** A tenant that gave all it was asked for has more, nobody knows how much. */
  private int expectedAfter(Claim claim) {
    int claimed = claim.batch().tasks().size();
    int expected = claim.standing() == Claim.Standing.MORE ? GROWTH * claimed : claimed;
    return Math.max(1, Math.min(expected, batchSize));
  }

  private Deque<Entry> turnsFor(int visitor) {
    Deque<Entry> own = turns.get(visitor);
    return own.isEmpty() ? Collections.max(turns, Comparator.comparingInt(Deque::size)) : own;
  }

  private Visit begin(Entry entry) {
    entry.queued = false;
    entry.visiting = true;
    entry.visitedSlots = entry.dirtySlots == 0 ? ClaimRequest.ALL_SLOTS : entry.dirtySlots;
    entry.dirtySlots = 0;
    entry.nextLook = Long.MIN_VALUE;
    return new Visit(entry.tenant, entry.visitedSlots);
  }

  private Entry end(Visit visit) {
    Entry entry = entries.computeIfAbsent(visit.tenant(), Entry::new);
    entry.visiting = false;
    return entry;
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
      turns.get(entry.tenant % turns.size()).addLast(entry);
      changed.signal();
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
    appointments.add(new Appointment(entry, entry.nextLook));
  }

  /** An appointment that a later visit made void is passed over. */
  private void keepAppointments() {
    long now = System.nanoTime();
    while (!appointments.isEmpty() && appointments.peek().dueAt() - now <= 0) {
      Appointment due = appointments.remove();
      if (due.entry().nextLook == due.dueAt()) {
        due.entry().nextLook = Long.MIN_VALUE;
        due.entry().penalized = false;
        queue(due.entry());
      }
    }
  }

  private long nanosToNextAppointment(long most) {
    Appointment next = appointments.peek();
    return next == null ? most : Math.max(1, next.dueAt() - System.nanoTime());
  }
}
