package dev.rota.internal.worker;

import java.util.concurrent.TimeUnit;

/**
 * Computes how many tasks to hold ready: about half a second's worth at the rate at which handlers
 * finish them. So a fast worker takes many at a time, and a slow one leaves tasks to others.
 * Thread-safe.
 */
final class PrefetchLimit {

  private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final double SECONDS_READY = 0.5;
  private static final int GROWTH = 4;

  /**
   * The upper bound of tasks held ready: even with small batches, many tenants may have backlogs.
   */
  private static final int READY = 64_000;

  private static final int READY_BATCHES = 8;
  private static final int AT_ONCE = 12_000;

  /**
   * A claim costs the same for few tasks as for many, and at least this part of the target is worth
   * one: the rest of it is held.
   */
  private static final int PORTIONS = 8;

  private final int least;
  private final int most;
  private final int mostAtOnce;
  private final ClaimSize size;
  private final int batchSize;
  private double target;
  private long windowStart = System.nanoTime();
  private long finishedAtStart;
  private long finishedAtGrowth = -1;
  private long beingClaimed;
  private long beingClaimedBesides;

  PrefetchLimit(int concurrency, int batchSize, ClaimSize size) {
    this.size = size;
    this.batchSize = batchSize;
    this.least = concurrency;
    this.most = Math.max(Math.max(READY, READY_BATCHES * batchSize), concurrency);
    this.mostAtOnce = Math.max(Math.max(AT_ONCE, 4 * batchSize), concurrency);
    this.target = least;
  }

  /**
   * Returns how many more to claim. The caller reports the end of that claim by {@link #claimed}.
   *
   * @param waiting tasks that are held and not begun
   * @param finished tasks finished since the start
   */
  synchronized int wants(long waiting, long finished) {
    long now = System.nanoTime();
    if (now - windowStart >= WINDOW_NANOS) {
      double perSecond = (finished - finishedAtStart) * 1e9 / (now - windowStart);
      double ready = perSecond * SECONDS_READY;
      target = within(waiting == 0 ? Math.max(target, ready) : ready);
      windowStart = now;
      finishedAtStart = finished;
    }
    growIfStarved(waiting, finished);
    int wants = worthClaiming(target, waiting + beingClaimed);
    beingClaimed += wants;
    return wants;
  }

  /** The number of tasks to hold ready. */
  synchronized double target() {
    return target;
  }

  /**
   * Returns how many more to claim of tenants of which little is held, while the worker holds
   * enough in total. The backlog of one tenant must not exclude the others. In total as many as
   * there are handlers, or one portion of the target, because tasks held here are kept from other
   * workers. The caller reports the end of that claim by {@link #claimedBesides}.
   *
   * @param waiting tasks of such claims that are not begun
   */
  synchronized int wantsBesides(long waiting) {
    double most = Math.max(least, target / PORTIONS);
    int wants = worthClaiming(most, waiting + beingClaimedBesides);
    beingClaimedBesides += wants;
    return wants;
  }

  /** The number of tasks that are missing to a total; 0 if they are not worth a claim. */
  private int worthClaiming(double total, long held) {
    int missing = (int) Math.max(0, Math.min(mostAtOnce, total - held));
    return missing < Math.min(size.tenants() * batchSize, total / PORTIONS) ? 0 : missing;
  }

  /**
   * Grows the target after handlers ran out of tasks. They could have done more, by an unknown
   * amount, so it grows by much; once for each time that they ran out.
   */
  private void growIfStarved(long waiting, long finished) {
    if (waiting == 0 && finished - finishedAtGrowth >= target / 2) {
      finishedAtGrowth = finished;
      target = within(GROWTH * target);
    }
  }

  private double within(double wanted) {
    return Math.min(Math.max(wanted, least), most);
  }

  /** Records that a claim for this many tasks is over; its tasks count as waiting from now on. */
  synchronized void claimed(int wanted) {
    beingClaimed -= wanted;
  }

  /** Records that a claim of {@link #wantsBesides} for this many tasks is over. */
  synchronized void claimedBesides(int wanted) {
    beingClaimedBesides -= wanted;
  }
}
