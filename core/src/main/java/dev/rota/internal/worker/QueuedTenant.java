package dev.rota.internal.worker;

import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.worker.TenantQueue.ClaimSlot;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A tenant of a {@link TenantQueue}: the slots of its rings that may hold tasks, and the time of
 * its next visit. Used under the lock of the queue.
 */
final class QueuedTenant {

  private static final long RESCAN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long PENALTY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long MOST_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /**
   * The cost from which visits are rationed. A visit for rare kinds reads over all others and holds
   * their gate meanwhile. If that takes long it may take no more than one part in ten of the time.
   */
  private static final long COSTLY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private static final int COST_SHARE = 10;
  private static final long LONGEST_SPARED_NANOS = TimeUnit.MILLISECONDS.toNanos(700);

  /** Those with the lowest tags first. */
  static final Comparator<QueuedTenant> BY_TAG = Comparator.comparingDouble(QueuedTenant::tag);

  /** One in so many turns begins with the lowest tier. */
  private static final int TURNS = 10;

  private final int number;
  private final ReadyQueue queue;
  private final BacklogEstimate balance = new BacklogEstimate();
  private int dirtySlots;
  private int visitedSlots;
  private int countedSlots;
  private boolean queued;
  private boolean visiting;
  private boolean penalized;
  private boolean spared;
  private boolean held;
  private long beganAt;
  private int expected = 1;
  private double tag;
  private long queuedAt;
  private long nextLook = Long.MIN_VALUE;

  QueuedTenant(int number, ReadyQueue queue) {
    this.number = number;
    this.queue = queue;
  }

  /** Those of the highest tiers first, but for one turn in ten. */
  static Comparator<QueuedTenant> byTier(TaskRules rules, int turn) {
    Comparator<QueuedTenant> byTier = Comparator.comparingInt(tenant -> rules.tier(tenant.number));
    return (turn % TURNS == TURNS - 1 ? byTier : byTier.reversed()).thenComparing(BY_TAG);
  }

  int number() {
    return number;
  }

  /**
   * Sets whether the tenant is not visited at all. What changes meanwhile is remembered. Its queue
   * then calls {@link ReadyQueue#leaveHeld}.
   */
  void hold(boolean on) {
    held = on;
  }

  /** The number of tasks to expect from the next visit. */
  int expected() {
    return expected;
  }

  void expect(int tasks) {
    expected = tasks;
  }

  /** The tag by which candidates are sorted. */
  double tag() {
    return tag;
  }

  void tag(double newTag) {
    tag = newTag;
  }

  /** The time since which it waits. */
  long queuedAt() {
    return queuedAt;
  }

  /** Records that an unknown number of tasks was inserted into these slots. */
  void changed(int slots) {
    dirtySlots |= slots;
    queue();
  }

  /** Records how many more inserts the counters show. */
  void counted(int slots, long inserted) {
    countedSlots |= slots;
    balance.counted(inserted);
    if (!visiting) {
      acceptCounted();
    }
  }

  /** Discards the earlier counts. */
  void recount(int slots) {
    balance.forget();
    dirtySlots |= slots | countedSlots;
    countedSlots = 0;
    queue();
  }

  /** Begins a visit of the slots that may hold tasks. */
  TenantQueue.Visit begin() {
    queue.due.remove(this);
    queued = false;
    visiting = true;
    beganAt = now();
    visitedSlots = dirtySlots == 0 ? ClaimRequest.ALL_SLOTS : dirtySlots;
    dirtySlots = 0;
    nextLook = Long.MIN_VALUE;
    balance.visit();
    return new TenantQueue.Visit(number, visitedSlots);
  }

  /** Ends the visit. */
  void end() {
    visiting = false;
    // Its turn may have come in another queue meanwhile.
    queue.slot.ring(queue.all);
  }

  /** Records what the visit claimed, before the next one is planned. */
  void claimed(int tasks, ClaimResult.RingState state) {
    balance.claimed(tasks);
    if (state == ClaimResult.RingState.EMPTY) {
      balance.sawAll(now());
    }
  }

  /** Plans the next visit. */
  void plan(ClaimResult.RingState state) {
    acceptCounted();
    switch (state) {
      case MORE -> goOn();
      case CAUGHT_UP -> lookBehindTheHint();
      case BUSY -> lookAgain(BUSY_NANOS);
      case EMPTY -> queueIfDirty();
    }
  }

  /** Delays the next visit after a failed one. */
  void failed() {
    penalized = true;
    balance.forget();
    lookAgain(PENALTY_NANOS);
  }

  /** Whether the visit found nothing, and took so long that the next one should wait. */
  boolean wasCostly(int claimed, ClaimResult.RingState state) {
    return claimed == 0 && state != ClaimResult.RingState.BUSY && now() - beganAt > COSTLY_NANOS;
  }

  /** Delays the next visit: changes from now on are remembered, and visited a little later. */
  void spare(ClaimResult.RingState state) {
    if (state != ClaimResult.RingState.EMPTY) {
      dirtySlots |= visitedSlots;
    }
    penalized = true;
    spared = true;
    long spent = now() - beganAt;
    appoint(Math.min(COST_SHARE * spent, LONGEST_SPARED_NANOS));
  }

  /** Whether nothing is to be done for it, unless its tables change or it is no longer held. */
  boolean rests() {
    boolean isDone = dirtySlots == 0 && nextLook == Long.MIN_VALUE;
    return !visiting && !queued && (held || isDone);
  }

  private boolean waitsTooLong(long now) {
    return now - queuedAt > MOST_PATIENCE_NANOS || queue.slot.isAway(queuedAt, now);
  }

  private long now() {
    return queue.nanoTime.getAsLong();
  }

  /**
   * Queues the tenant if its counted inserts exceed the claimed tasks. Until then the slots are
   * remembered. Tasks of one slot may have been taken whose count is still to come, while others
   * are pending in the slot that was counted.
   */
  private void acceptCounted() {
    if (countedSlots != 0 && balance.isPositive(now())) {
      dirtySlots |= countedSlots;
      countedSlots = 0;
      queue();
    }
  }

  private void queueIfDirty() {
    if (dirtySlots != 0) {
      queue();
    }
  }

  /**
   * Queues the tenant whose visit took as much as it may. If just as many are claimed as were
   * counted, the next visit would be in vain: it waits for further counts, or for a second.
   */
  private void goOn() {
    if (balance.isZero(now())) {
      lookAgain(RESCAN_NANOS);
    } else {
      dirtySlots |= visitedSlots;
      queue();
    }
  }

  /**
   * Queues the tenant. During a visit the change stays remembered: the visit may have missed it.
   */
  private void queue() {
    if (!queued && !visiting && !penalized && !held) {
      queued = true;
      queuedAt = now();
      queue.due.addLast(this);
      queue.slot.ring(queue.all);
    }
  }

  /**
   * Plans a visit that scans before the hint. If all counted tasks are claimed, no task is left
   * there. But some claimed tasks may not be counted yet, even in another slot: the slots are
   * visited again as soon as they are.
   */
  private void lookBehindTheHint() {
    if (balance.isPositive(now())) {
      lookAgain(RESCAN_NANOS);
    } else {
      countedSlots |= visitedSlots;
      queueIfDirty();
    }
  }

  private void lookAgain(long nanos) {
    boolean dirty = dirtySlots != 0;
    dirtySlots |= visitedSlots;
    if (dirty && nanos == RESCAN_NANOS) {
      queue();
    }
    appoint(nanos);
  }

  private void appoint(long nanos) {
    long jitter = ThreadLocalRandom.current().nextLong(nanos / 4 + 1);
    nextLook = now() + nanos + jitter;
    queue.appointments.add(new Appointment(this, nextLook));
  }

  /** Keeps an appointment, unless a later visit made it void. */
  private void keep(long dueAt) {
    if (nextLook != dueAt) {
      return;
    }
    nextLook = Long.MIN_VALUE;
    penalized = false;
    if (spared) {
      spared = false;
      acceptCounted();
      queueIfDirty();
    } else {
      queue();
    }
  }

  private record Appointment(QueuedTenant tenant, long dueAt) {}

  /** The tenants of one slot: those whose turn has come, and those with an appointment. */
  static final class ReadyQueue {
    private final ClaimSlot slot;
    private final List<ClaimSlot> all;
    private final LongSupplier nanoTime;
    private final Deque<QueuedTenant> due = new ArrayDeque<>();
    private final PriorityQueue<Appointment> appointments =
        new PriorityQueue<>(Comparator.comparingLong(Appointment::dueAt));

    /** Creates the empty queue of one of all slots. */
    ReadyQueue(ClaimSlot slot, List<ClaimSlot> all, LongSupplier nanoTime) {
      this.slot = slot;
      this.all = all;
      this.nanoTime = nanoTime;
    }

    ClaimSlot slot() {
      return slot;
    }

    /** The tenants whose turn has come, the one that waits longest first. */
    Deque<QueuedTenant> due() {
      return due;
    }

    boolean has(QueuedTenant tenant) {
      return tenant.queue == this;
    }

    /** Whether this slot may take a tenant that may be another's. */
    boolean mayTake(QueuedTenant tenant, long now) {
      return has(tenant) || slot.admits(tenant.number, now) || tenant.waitsTooLong(now);
    }

    /** Takes out the tenants that are held. */
    void leaveHeld() {
      due.removeIf(
          tenant -> {
            tenant.queued &= !tenant.held;
            return tenant.held;
          });
    }

    /** Queues tenants whose appointment has come. */
    void keepAppointments() {
      long now = nanoTime.getAsLong();
      while (!appointments.isEmpty() && appointments.peek().dueAt() - now <= 0) {
        Appointment next = appointments.remove();
        next.tenant().keep(next.dueAt());
      }
    }

    /** The time until the next appointment, or the longest there is. */
    long nanosToNext() {
      Appointment next = appointments.peek();
      return next == null ? Long.MAX_VALUE : Math.max(1, next.dueAt() - nanoTime.getAsLong());
    }
  }

  /**
   * Estimates an upper bound of a tenant's pending tasks: the inserts that the counters show, less
   * the tasks that this process claimed. A prompt visit claims tasks before the counters show them;
   * the balance is then below zero, and their count no reason for another visit. Not thread-safe.
   *
   * <p>Claims of other processes and rolled back inserts leave the balance too high, until a visit
   * that sees everything corrects it. It should never be too low; in case it is, it is trusted for
   * ten seconds only.
   */
  static final class BacklogEstimate {

    private static final long UNKNOWN = Long.MAX_VALUE / 2;
    private static final long BELIEF_NANOS = TimeUnit.SECONDS.toNanos(10);

    private long pending = UNKNOWN;
    private long countedInVisit = UNKNOWN;
    private long knownAt;

    /** Records the beginning of a visit, which may not see tasks that are counted from now on. */
    void visit() {
      countedInVisit = 0;
    }

    void counted(long inserts) {
      if (countedInVisit != UNKNOWN) {
        countedInVisit += inserts;
      }
      if (isKnown()) {
        pending += inserts;
      }
    }

    void claimed(int tasks) {
      if (isKnown()) {
        pending -= tasks;
      }
    }

    /** Records that the visit left none of the tasks that were counted before it began. */
    void sawAll(long now) {
      if (!isKnown()) {
        pending = countedInVisit;
        knownAt = now;
      }
      pending = Math.min(pending, countedInVisit);
    }

    /**
     * Discards the estimate: any task may be pending, also one that a current visit does not see
     * and that the counters have already shown.
     */
    void forget() {
      pending = UNKNOWN;
      countedInVisit = UNKNOWN;
    }

    boolean isPositive(long now) {
      forgetWhenOld(now);
      return pending > 0;
    }

    /** Whether just as many tasks were claimed as were counted. */
    boolean isZero(long now) {
      forgetWhenOld(now);
      return pending == 0;
    }

    private void forgetWhenOld(long now) {
      if (isKnown() && now - knownAt > BELIEF_NANOS) {
        forget();
      }
    }

    private boolean isKnown() {
      return pending != UNKNOWN;
    }
  }
}
