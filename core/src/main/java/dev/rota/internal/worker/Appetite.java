package dev.rota.internal.worker;

import java.util.concurrent.TimeUnit;

/**
 * How many tasks to hold ready: about half a second's worth at the rate at which handlers finish
 * them, so that a fast worker takes full batches and a slow one leaves tasks to others.
 * Thread-safe.
 */
final class Appetite {

  private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final double SECONDS_READY = 0.5;
  private static final int GROWTH = 4;

  private final int least;
  private final int most;
  private final int mostAtOnce;
  private double target;
  private long windowStart = System.nanoTime();
  private long finishedAtStart;
  private long beingClaimed;

  Appetite(int concurrency, int batchSize) {
    this.least = concurrency;
    this.most = Math.max(8 * batchSize, concurrency);
    this.mostAtOnce = Math.max(4 * batchSize, concurrency);
    this.target = least;
  }

  /**
   * How many more to claim. Whoever asks says when that claim is over, by {@link #claimed}.
   *
   * @param waiting tasks that are held and not begun
   * @param finished tasks finished since the start
   */
  synchronized int wants(long waiting, long finished) {
    long now = System.nanoTime();
    if (now - windowStart >= WINDOW_NANOS) {
      double perSecond = (finished - finishedAtStart) * 1e9 / (now - windowStart);
      double ready = perSecond * SECONDS_READY;
      // Handlers that ran dry could have done more: nobody knows how much, so try much more.
      target = waiting == 0 ? Math.max(GROWTH * target, ready) : ready;
      target = Math.min(Math.max(target, least), most);
      windowStart = now;
      finishedAtStart = finished;
    }
    int wants = (int) Math.max(0, Math.min(mostAtOnce, target - waiting - beingClaimed));
    beingClaimed += wants;
    return wants;
  }

  /** A claim for so many is over; what it gave counts as waiting from now on. */
  synchronized void claimed(int wanted) {
    beingClaimed -= wanted;
  }
}
