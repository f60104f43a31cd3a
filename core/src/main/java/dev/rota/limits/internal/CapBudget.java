package dev.rota.limits.internal;

import dev.rota.limits.internal.CapStore.Others;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What one cap counts, in this process: the slots that it holds, and the tasks that use them. Used
 * under the lock of its {@link CapBudgets}.
 */
final class CapBudget {

  /** How long slots may be unused while others want them. */
  private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How long they may be unused while others want none. */
  private static final long UNWANTED_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How long a tenant with work counts as wanting a slot. */
  private static final long ASKED_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  /** How long it leaves to others what it gave back. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

  /** The part of its slots beyond an even share that go to others at a turn. */
  private static final int PORTION = 8;

  /** The work to hold ready for its slots. */
  private static final double READY_NANOS = 0.5e9;

  /** How often a slot goes to others that want one, where all are in use. */
  private static final long TURN_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * How often one of the workers looks that want a slot, so that none stays free for long. Each
   * looks the more rarely the more they are.
   */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(45);

  /** How many looks later it is if all are in use and no more are wanted. */
  private static final int LOOKS_IN_USE = 5;

  /** How often the only slot of a cap does: on its way it is of no use. */
  private static final long LONE_TURN_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How long use is measured until slots go that tasks hold while they wait for handlers. */
  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The part of their time that tasks with a slot run, from which more slots are of use. */
  private static final double WELL_USED = 0.9;

  /** For how long a process whose handlers are busy leaves a first slot to others. */
  private static final long LEAVE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  final ScopeLimits.Key key;
  int cap;

  /** Slots that this process may use: never more than the database says that it holds. */
  int granted;

  int running;
  int waiting;

  /** How many slots beyond the cap to give back when their tasks end. */
  private int leaving;

  /** How many to give to others then. */
  private int giving;

  /** Whether it claims no more tasks, to give its last slot to others. */
  private boolean retiring;

  private boolean full;
  private boolean known;
  private int written = -1;
  private boolean writtenWanted;
  private int sent;
  private int peak;
  private int earlierPeak;
  private long peakSince;
  private long usedAt;
  private long askedAt;
  private boolean othersWant;
  private long turnAt;
  private long gaveAt;
  private long lookAt;
  private long freeSince;
  private boolean writtenIdle;

  /** Nanoseconds of tasks with a slot in this window, and those that they waited for a handler. */
  private double held;

  private double waited;
  private long heldAt;
  private long windowAt;
  private double usedPart = 1;

  /** Whether tasks of this process wait for handlers with their slots. */
  private boolean busy;

  private double meanNanos = 10e6;
  private final Set<Integer> leftOut = new HashSet<>();

  /** Tenants whose next task begins as it is claimed, the one that waits longest first. */
  private final Set<Integer> atSlots = new LinkedHashSet<>();

  CapBudget(ScopeLimits.Key key, int cap, long now) {
    this.key = key;
    this.cap = cap;
    this.peakSince = now;
    this.usedAt = now;
    this.askedAt = now - ASKED_NANOS;
    this.gaveAt = now - PAUSE_NANOS;
    this.lookAt = now;
    this.heldAt = now;
    this.windowAt = now;
    this.freeSince = now;
  }

  /**
   * What to write for a budget.
   *
   * @param slots how many slots to have
   * @param used how many may be in use
   * @param needed for how many it has tasks
   * @param idle whether it would use more at once
   */
  record Demand(CapBudget budget, int slots, int used, int needed, boolean idle) {}

  boolean hasRoom() {
    return running < granted;
  }

  void begin(long now) {
    countTime(now);
    running++;
    peak = Math.max(peak, running);
  }

  /** Adds up the time of tasks with a slot, before their number changes. */
  private void countTime(long now) {
    held += (double) running * (now - heldAt);
    heldAt = now;
  }

  /** Records how long a task waited with its slot until a handler ran it. */
  void waited(long nanos) {
    waited += nanos;
  }

  /** Ends a task; whether others may have its slot. */
  boolean end(long nanos, long now) {
    countTime(now);
    running--;
    usedAt = now;
    if (nanos > 0) {
      meanNanos += 0.1 * (nanos - meanNanos);
    }
    if (leaving > 0) {
      leaving--;
      granted--;
    } else if (giving > 0) {
      giving--;
      granted--;
      gaveAt = now;
    }
    return written > granted || (retiring && waiting == 0 && running == 0);
  }

  /** Records that a tenant has work that needs a slot; whether that is news. */
  boolean ask(long now) {
    boolean isNews = granted == 0 && now - askedAt >= ASKED_NANOS;
    askedAt = now;
    lookAt = isNews ? now : lookAt;
    return isNews;
  }

  /** How many more tasks to claim. */
  int room() {
    if (cap == CapRules.NONE) {
      return Integer.MAX_VALUE;
    }
    return claimsNone() ? 0 : Math.max(0, enough() - waiting);
  }

  private boolean claimsNone() {
    return granted == 0 || retiring;
  }

  private int enough() {
    return (int) Math.min(10_000, granted * Math.max(2, READY_NANOS / meanNanos));
  }

  /** Whether no more tasks of its kind are to be claimed, until half of what waits has begun. */
  boolean isFull() {
    full = waiting >= (full ? enough() / 2 : enough());
    return cap != CapRules.NONE && (full || claimsNone());
  }

  /** Whether no task may begin as it is claimed. */
  boolean isFullAtOnce() {
    return cap != CapRules.NONE && (!hasRoom() || retiring);
  }

  /** Records that claims leave out its kind. */
  void leftOut(int tenant, boolean atOnce) {
    (atOnce ? atSlots : leftOut).add(tenant);
  }

  /** Takes the tenants whose tasks may be claimed again. */
  Set<Integer> takeLeftOut() {
    Set<Integer> taken = new HashSet<>();
    if (!leftOut.isEmpty() && !isFull()) {
      taken.addAll(leftOut);
      leftOut.clear();
    }
    if (!atSlots.isEmpty() && !isFullAtOnce()) {
      taken.addAll(atSlots);
      atSlots.clear();
    }
    return taken;
  }

  /** Takes the tenant that has waited longest for a slot, if one waits and one is free. */
  Optional<Integer> takeNextAtSlot() {
    if (atSlots.isEmpty() || isFullAtOnce()) {
      return Optional.empty();
    }
    Integer next = atSlots.iterator().next();
    atSlots.remove(next);
    return Optional.of(next);
  }

  /** Whether it has no cap any more, no task, and no slot that others could miss. */
  boolean isOver() {
    return cap == CapRules.NONE
        && running + waiting + granted == 0
        && written <= 0
        && leftOut.isEmpty()
        && atSlots.isEmpty();
  }

  /** Follows another cap. */
  void follow(int other, long now) {
    if (other != cap) {
      cap = other;
      lookAt = now;
    }
  }

  /** Whether it is time to look what others have, or there is anything to write. */
  boolean isDue(long now) {
    return isActive(now)
        && (now - lookAt >= 0
            || retiring
            || written != granted
            || writtenWanted != needed(now) > granted);
  }

  /** Whether there is anything to know or to write about it. */
  boolean isActive(long now) {
    return granted > 0
        || written > 0
        || wanted(now) > 0
        || !leftOut.isEmpty()
        || !atSlots.isEmpty();
  }

  /** Whether its row exists; the first call says no. */
  boolean isKnown() {
    boolean was = known;
    known = true;
    return was;
  }

  /** The slots for which it has tasks, or for all that it knows. */
  private int wanted(long now) {
    int least = isAsked(now) || !leftOut.isEmpty() ? 1 : 0;
    return cap == CapRules.NONE ? 0 : Math.min(cap, Math.max(least, tasks()));
  }

  /**
   * The slots for which others are to give way. Of a kind of one tenant only those for which it
   * certainly has tasks: there may be none, and all workers of the tenant have the same ones. For
   * the tasks of a kind of all tenants others may not care, such as those of another pool.
   */
  private int needed(long now) {
    if (granted > 0 && !usesMore()) {
      return Math.min(cap, granted);
    }
    boolean isOfBoth = key.tenant() != 0 && !key.kind().isEmpty();
    return isOfBoth ? Math.min(cap, tasks()) : wanted(now);
  }

  /** Whether its tasks come to handlers at once: else more slots would be of no use. */
  private boolean usesMore() {
    return !busy || usedPart >= WELL_USED;
  }

  private int tasks() {
    return running + waiting + atSlots.size();
  }

  private boolean isAsked(long now) {
    return now - askedAt < ASKED_NANOS;
  }

  /** Forgets what it held: others may have it by now. What runs counts on. */
  void lose() {
    granted = running;
    doubt();
    leaving = 0;
    giving = 0;
    retiring = false;
  }

  /** Lets it be written again: it is not certain what the database has. */
  void doubt() {
    written = -1;
    known = false;
  }

  /**
   * Decides what to write, given what others hold; null if nothing changes.
   *
   * @param isBusy whether tasks with a slot wait for handlers in this process
   */
  @Nullable Demand demand(Others others, boolean isBusy, long now) {
    busy = isBusy;
    lookAt = now + LOOK_NANOS * looks(others, now);
    int allowed = cap == CapRules.NONE ? 0 : Math.max(0, cap - others.held());
    giveBackBeyond(allowed);
    giveBackIdle(others, now);
    takeTurns(others, now);
    measureUse(others, now);
    int needed = needed(now);
    int wanted = wanted(now);
    boolean leaves = others.wanting() + others.idle() > 0 && now - gaveAt < PAUSE_NANOS;
    int more = leaves ? 0 : more(Math.min(wanted, allowed) - granted, now);
    boolean idle = !busy && wanted > granted + more;
    if (written == granted
        && more == 0
        && writtenWanted == needed > granted
        && writtenIdle == idle) {
      return null;
    }
    sent = granted;
    return new Demand(this, granted + more, granted, needed, idle);
  }

  /**
   * How many more slots to take of those that are free. A process whose handlers are busy could not
   * use them, unless its tasks of this budget come to handlers at once; others might.
   */
  private int more(int free, long now) {
    if (free <= 0) {
      freeSince = now;
      return 0;
    }
    if (!busy) {
      return free;
    }
    if (granted > 0) {
      return running >= granted && usesMore() ? Math.min(free, granted) : 0;
    }
    return now - freeSince >= LEAVE_NANOS ? 1 : 0;
  }

  /**
   * Gives slots to others whose handlers are idle, as many as are unused on average because those
   * of this process are busy. Chance rounds the number, so that of many budgets with a part of a
   * slot unused some give one, and the others use theirs.
   */
  private void measureUse(Others others, long now) {
    if (now - windowAt < WINDOW_NANOS) {
      return;
    }
    countTime(now);
    usedPart = held > 0 ? 1 - waited / held : 1;
    double unused = granted - (held - waited) / (now - windowAt);
    held = 0;
    waited = 0;
    windowAt = now;
    if (busy && others.idle() > 0 && waiting > 0) {
      giveUnused((int) (unused + ThreadLocalRandom.current().nextDouble()));
    }
  }

  private void giveUnused(int slots) {
    if (slots > 0) {
      giving = Math.max(giving, Math.min(slots, granted - 1));
      retiring |= granted == 1;
    }
  }

  /** For how many looks to leave it alone. */
  private int looks(Others others, long now) {
    if (wanted(now) > granted) {
      return Math.max(1, (1 + Math.max(others.wanting(), others.idle())) / 2);
    }
    return hasRoom() ? 1 : LOOKS_IN_USE;
  }

  private void giveBackBeyond(int allowed) {
    int surplus = Math.max(0, granted - allowed);
    int unused = Math.min(surplus, Math.max(0, granted - running));
    granted -= unused;
    leaving = surplus - unused;
  }

  private void giveBackIdle(Others others, long now) {
    if (now - peakSince >= IDLE_NANOS) {
      earlierPeak = peak;
      peak = running;
      peakSince = now;
    }
    int unused = granted - Math.max(running, Math.max(peak, earlierPeak));
    boolean isWanted = others.wanting() > 0;
    boolean isForgotten = waiting == 0 && !isAsked(now) && now - usedAt >= UNWANTED_NANOS;
    // Two processes could wait for each other, each with a slot that its tasks need besides that of
    // the other: chance decides which of them gives way.
    boolean isStuck = waiting > 0 && ThreadLocalRandom.current().nextBoolean();
    if (unused > 0 && (isForgotten || (isWanted && !isStuck))) {
      granted -= unused;
      gaveAt = now;
    }
  }

  /** Gives slots to others that have waited for a turn, where it has more than its even share. */
  private void takeTurns(Others others, long now) {
    if (retiring && waiting == 0 && running == 0) {
      granted = 0;
      retiring = false;
      gaveAt = now;
    }
    if (others.wanting() == 0) {
      othersWant = false;
      if (others.idle() == 0) {
        retiring = false;
        giving = 0;
      }
      return;
    }
    if (!othersWant) {
      othersWant = true;
      turnAt = now + turn(others);
    }
    int surplus = granted - cap / (others.workers() + 1);
    if (surplus > 0 && now - turnAt >= 0) {
      turnAt = now + turn(others);
      giving = granted > 1 ? Math.max(1, surplus / PORTION) : 0;
      retiring = granted == 1;
    }
  }

  private long turn(Others others) {
    int holders = Math.min(cap, others.workers() + 1);
    long nanos = Math.max(TURN_NANOS, LONE_TURN_NANOS / cap) * holders;
    return nanos / 2 + ThreadLocalRandom.current().nextLong(nanos);
  }

  /** Takes what the database granted. */
  void accept(Demand demand, int held, long now) {
    granted += held - sent;
    written = held;
    writtenWanted = demand.needed > held;
    writtenIdle = demand.idle;
    if (held > sent) {
      peak = Math.max(peak, granted);
      peakSince = now;
      usedAt = now;
    }
  }
}
