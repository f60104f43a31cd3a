package dev.rota.benchmarks;

import dev.rota.benchmarks.rivals.Consumption;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Turns an influence on and off while consumers run, and measures their rate with and without it.
 *
 * <p>The windows follow each other as on, off, off, on. So a rate that rises or falls steadily
 * favours neither side.
 */
final class Alternation implements AutoCloseable {

  private final Consumption consumption;
  private final Consumer<Boolean> influence;
  private final int windows;
  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private final Side with = new Side();
  private final Side without = new Side();
  private int begun;
  private long lastDone;
  private long lastNanos;

  /** The tasks done in the windows of one side. */
  private static final class Side {
    private long tasks;
    private long nanos;

    synchronized void add(long moreTasks, long moreNanos) {
      tasks += moreTasks;
      nanos += moreNanos;
    }

    synchronized double perSecond() {
      return tasks * (double) TimeUnit.SECONDS.toNanos(1) / nanos;
    }
  }

  /**
   * Begins the first window.
   *
   * @param consumption the consumers
   * @param influence turns the influence on or off
   * @param window how long a window takes
   * @param pairs how many windows each side gets
   */
  Alternation(Consumption consumption, Consumer<Boolean> influence, Duration window, int pairs) {
    this.consumption = consumption;
    this.influence = influence;
    this.windows = 2 * pairs;
    var unused = thread.scheduleAtFixedRate(this::next, 0, window.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Ends a window, if one has begun, and begins the next, if one is left. */
  private void next() {
    long done = consumption.done();
    long now = System.nanoTime();
    if (begun > 0) {
      (isOn(begun) ? with : without).add(done - lastDone, now - lastNanos);
    }
    if (begun == windows) {
      thread.shutdown();
      return;
    }
    begun++;
    lastDone = done;
    lastNanos = now;
    influence.accept(isOn(begun));
  }

  private static boolean isOn(int window) {
    return window % 4 < 2;
  }

  /** Tasks done a second with the influence. */
  double withPerSecond() {
    return with.perSecond();
  }

  /** Tasks done a second without it. */
  double withoutPerSecond() {
    return without.perSecond();
  }

  /** Waits for the end of the last window. */
  @Override
  public void close() throws InterruptedException {
    if (!thread.awaitTermination(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException("window " + begun + " of " + windows + " does not end");
    }
  }
}
