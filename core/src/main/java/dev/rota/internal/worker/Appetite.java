package dev.rota.internal.worker;

import java.util.concurrent.TimeUnit;

/**
 * How many tasks to hold ready: about half a second's worth at the rate at which handlers finish
 * them, so that a fast worker takes full batches and a slow one leaves tasks to others. Used by the
 * fetching thread alone.
 */
final class Appetite {

  private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final double SECONDS_READY = 0.5;

  private final int least;
  private final int most;
  private double target;
  private long windowStart = System.nanoTime();
  private long finishedAtStart;

  Appetite(int concurrency, int batchSize) {
    this.least = concurrency;
    this.most = Math.max(8 * batchSize, concurrency);
    this.target = least;
  }

  /**
   * How many more to claim.
   *
   * @param waiting tasks that are held and not begun
   * @param finished tasks finished since the start
   */
  int wants(long waiting, long finished) {
    long now = System.nanoTime();
    if (now - windowStart >= WINDOW_NANOS) {
      double perSecond = (finished - finishedAtStart) * 1e9 / (now - windowStart);
      double ready = perSecond * SECONDS_READY;
      // Handlers that ran dry could have done more: nobody knows how much, so try twice as much.
      target = waiting == 0 ? Math.max(2 * target, ready) : ready;
      target = Math.min(Math.max(target, least), most);
      windowStart = now;
      finishedAtStart = finished;
    }
    return (int) Math.max(0, target - waiting);
  }
}
