package dev.rota.limits.internal;

import dev.rota.limits.Rate;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What one rate counts, in this process: the starts that it has leased, each with its time. Used
 * under the lock of its {@link RateBudgets}.
 */
final class RateBudget {

  /** No event is to come. */
  static final long NEVER = Long.MAX_VALUE;

  /** The least time between two leases of one process: ten a second, if some are a little late. */
  private static final long GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(105);

  /** How long a start is good after its time. */
  private static final long GOOD_NANOS = TimeUnit.MILLISECONDS.toNanos(70);

  /** How long it is good after its time or its lease at least, however late the answer came. */
  private static final long LEAST_GOOD_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** How long a task that took a start may wait for its handler. */
  private static final long LINE_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

  /** How far ahead starts are leased: until the next lease has come. */
  private static final long AHEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(120);

  /** Starts that are further apart are leased one by one, when their time has come. */
  private static final long SLOW_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** Commits of faster rates need not wait for the disk. */
  private static final long DURABLE_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /**
   * For how long after a lease its unused starts go back: later they would be a burst. Of slower
   * rates, until the next start.
   */
  private static final long RETURN_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  /** After so long without a lease, it asks as if it had never asked. */
  private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int FIRST_APPETITE = 8;
  private static final int MOST_APPETITE = 1_000_000;

  /** The least number of tasks to hold ready: one that begins, and the next. */
  private static final int LEAST_READY = 2;

  /** The work to hold ready, in leases. */
  private static final int READY_LEASES = 6;

  final ScopeLimits.Key key;
  private int waiting;
  private @Nullable Rate rate;
  private final Deque<Grant> grants = new ArrayDeque<>();
  private final Set<Integer> leftOut = new HashSet<>();
  private boolean wants;
  private boolean refused;
  private boolean full;
  private boolean known;
  private boolean scarce;
  private boolean sated;
  private long askAt;
  private long askedAt;
  private int appetite = FIRST_APPETITE;
  private int used;
  private int lost;

  /** Leased starts of one statement that are not used yet. */
  private static final class Grant {
    private final long since;
    private final double step;
    private final long good;
    private double next;
    private long left;

    /** The first start comes some nanoseconds after all are granted. */
    Grant(double next, double step, long left, Answer answer) {
      this.next = next;
      this.step = step;
      this.left = left;
      this.since = answer.at;
      this.good = Math.max(LEAST_GOOD_NANOS, GOOD_NANOS - answer.trip);
    }

    long dueAt() {
      return since + (long) Math.ceil(next);
    }

    boolean isOver(long now) {
      return now - Math.max(dueAt(), since) > good;
    }

    void take() {
      next += step;
      left--;
    }
  }

  /**
   * What to lease for a budget.
   *
   * @param starts how many starts
   * @param back how many leased ones no task has used in time, so that others may
   * @param ahead how many nanoseconds before its time a start may be leased
   */
  record Demand(RateBudget budget, Rate rate, long starts, long back, long ahead) {}

  /**
   * What was leased.
   *
   * @param starts how many starts
   * @param since how many microseconds after the statement the start before the first is
   */
  record Leased(long starts, double since) {}

  /**
   * When the answer to a statement came.
   *
   * @param at the time by {@link System#nanoTime}
   * @param trip how long after the statement was sent
   */
  record Answer(long at, long trip) {}

  RateBudget(ScopeLimits.Key key, @Nullable Rate rate, long now) {
    this.key = key;
    this.rate = rate;
    this.askAt = now;
    this.askedAt = now - FORGET_NANOS;
  }

  /** Follows another rate. What was leased at the former one is lost. */
  void follow(@Nullable Rate other, long now) {
    if (other == null ? rate != null : !other.equals(rate)) {
      rate = other;
      grants.clear();
      askAt = Math.max(now, askedAt + GAP_NANOS);
      appetite = FIRST_APPETITE;
      lost = 0;
      scarce = false;
    }
  }

  /** Whether it has no rate any more, and no task that waits. */
  boolean isOver() {
    return rate == null && waiting == 0 && leftOut.isEmpty() && !sated;
  }

  /** Whether a task may begin now. */
  boolean hasStart(long now) {
    if (rate == null) {
      return true;
    }
    dropOver(now);
    Grant first = grants.peekFirst();
    return first != null && first.dueAt() <= now;
  }

  private void dropOver(long now) {
    for (Grant first = grants.peekFirst();
        first != null && first.isOver(now);
        first = grants.peekFirst()) {
      lose();
      refused = false;
      takeOf(first);
    }
  }

  /** Lets a start go back with the next lease, which need not wait for the next start. */
  private void lose() {
    lost++;
    askAt = Math.min(askAt, askedAt + GAP_NANOS);
  }

  private void takeOf(Grant first) {
    first.take();
    if (first.left == 0) {
      grants.removeFirst();
    }
  }

  /** Takes a start that there is. */
  void take() {
    Grant first = grants.peekFirst();
    if (first != null) {
      used++;
      takeOf(first);
    }
    refused = false;
  }

  /** Takes back a start of a task that does not begin, for another one if it is not too late. */
  void giveBack(long takenAt, long now) {
    used--;
    if (!isFresh(takenAt, now)) {
      lose();
    } else if (rate != null) {
      long time = takenAt + LINE_NANOS - GOOD_NANOS;
      grants.addFirst(new Grant(0, 0, 1, new Answer(time, 0)));
    }
  }

  /** Whether a task may begin with the start that it took, or with a fresh one. */
  boolean isGood(long takenAt, long now) {
    return isFresh(takenAt, now) || hasStart(now);
  }

  /** Lets a task begin with a fresh start if its own is too old. */
  void renew(long takenAt, long now) {
    if (!isFresh(takenAt, now)) {
      giveBack(takenAt, now);
      take();
    }
  }

  private static boolean isFresh(long takenAt, long now) {
    return now - takenAt <= LINE_NANOS;
  }

  /** Records that a task could begin but for a start, or that none could any more. */
  void want(boolean could) {
    wants = could;
  }

  /** Records that a task found no start, so that none is claimed without one waiting for it. */
  void refuse() {
    refused = true;
  }

  /** Records that more tasks wait, or fewer; whether tenants may be visited again. */
  boolean waits(int more) {
    waiting += more;
    return more < 0 && mayClaimAgain(System.nanoTime());
  }

  /** How many more tasks to claim. */
  int room(long now) {
    int room = roomNow(now);
    sated |= room == 0;
    return room;
  }

  private int roomNow(long now) {
    return isRefused(now) ? 0 : Math.max(0, ready() - waiting);
  }

  private boolean isRefused(long now) {
    // Asked first: a start that no task took ends the refusal.
    boolean has = hasStart(now);
    return refused && waiting == 0 && !has;
  }

  private int ready() {
    Rate own = rate;
    if (own == null) {
      return Integer.MAX_VALUE;
    }
    double most = READY_LEASES * GAP_NANOS / own.stepNanos() + (scarce ? 0 : own.burst());
    return (int) Math.max(LEAST_READY, Math.min((double) READY_LEASES * appetite, most));
  }

  /** Whether no more tasks of its kind are to be claimed, until half of what waits has begun. */
  boolean isFull(long now) {
    if (rate == null) {
      return false;
    }
    int ready = ready();
    full = waiting >= (full ? ready / 2 : ready);
    return full || isRefused(now);
  }

  /** Records that claims leave out its kind. */
  void leftOut(int tenant) {
    leftOut.add(tenant);
  }

  /** Takes the tenants whose kind may be claimed again. */
  Set<Integer> takeLeftOut(long now) {
    if (leftOut.isEmpty() || isFull(now)) {
      return Set.of();
    }
    Set<Integer> taken = Set.copyOf(leftOut);
    leftOut.clear();
    return taken;
  }

  private boolean mayClaimAgain(long now) {
    return (sated && roomNow(now) > 0) || (!leftOut.isEmpty() && !isFull(now));
  }

  /** Whether all kinds of tenants may be claimed again that were not; it says so once. */
  boolean takeSated(long now) {
    boolean ends = sated && roomNow(now) > 0;
    sated &= !ends;
    return ends;
  }

  /** Whether its row exists; the first call says no. */
  boolean isKnown() {
    boolean was = known;
    known = true;
    return was;
  }

  /** What to lease now; null if nothing. */
  @Nullable Demand demand(long now) {
    Rate own = rate;
    dropOver(now);
    if (own == null || !isWanted() || now - askAt < 0) {
      return null;
    }
    double longest = Math.max((double) RETURN_NANOS, own.stepNanos());
    long back = now - askedAt < longest ? Math.min(lost, own.burst()) : 0;
    learn(now);
    long held = grants.stream().mapToLong(grant -> grant.left).sum();
    boolean slow = own.stepNanos() >= SLOW_STEP_NANOS;
    int starts = (int) Math.max(1, Math.min(appetite, Math.max(1, waiting)) - held);
    askedAt = now;
    askAt = now + GAP_NANOS;
    return new Demand(this, own, starts, back, slow ? 0 : AHEAD_NANOS);
  }

  private boolean isWanted() {
    return (wants && waiting > 0) || (refused && grants.isEmpty());
  }

  /** Asks for twice of what it used, or for no more than that where some was lost. */
  private void learn(long now) {
    if (now - askedAt >= FORGET_NANOS) {
      appetite = Math.max(appetite, FIRST_APPETITE);
    } else if (lost > 0) {
      appetite = Math.max(1, used);
    } else {
      appetite = Math.max(appetite, Math.min(MOST_APPETITE, 2 * used));
    }
    used = 0;
    lost = 0;
  }

  /** Whether commits of this rate wait for the disk: a lost one would let many more begin. */
  static boolean isDurable(Rate rate) {
    return rate.stepNanos() >= DURABLE_STEP_NANOS;
  }

  /** Takes what was leased by a statement. */
  void accept(Demand demand, Leased leased, Answer answer) {
    if (!demand.rate.equals(rate)) {
      return;
    }
    double step = demand.rate.stepNanos();
    double before = leased.since * 1e3;
    if (leased.starts > 0) {
      grants.addLast(new Grant(before + step, step, leased.starts, answer));
    }
    scarce = leased.starts < demand.starts;
    if (scarce) {
      double next = before + (leased.starts + 1) * step - demand.ahead;
      askAt = Math.max(askAt, answer.at + (long) Math.ceil(next));
    }
  }

  /** Lets the starts that a statement leased go back with the next one. */
  void lose(Demand demand, Leased leased) {
    if (demand.rate.equals(rate)) {
      lost += (int) leased.starts;
    }
  }

  /** Lets its row be made again: it is not certain that there is one. */
  void doubt() {
    known = false;
  }

  /** When there is something to do next; {@link #NEVER} if nothing waits. */
  long nextEvent(long now) {
    if (mayClaimAgain(now)) {
      return now;
    }
    if (rate == null) {
      return NEVER;
    }
    long next = isWanted() ? Math.max(now, askAt) : NEVER;
    if (waiting > 0 || refused) {
      Grant first = grants.peekFirst();
      next = earlier(next, first == null ? now : first.dueAt(), now);
      next = earlier(next, askAt, now);
    }
    return next;
  }

  private static long earlier(long next, long time, long now) {
    return time > now ? Math.min(next, time) : next;
  }
}
