package dev.rota.benchmarks;

import dev.rota.benchmarks.rivals.Consumption;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
  private final Duration window;
  private final int windows;
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final Future<?> measurement;
  private final Side with = new Side();
  private final Side without = new Side();

  /** The tasks done in the windows of one side. */
  private static final class Side {
    private long tasks;
    private long nanos;

    void add(long moreTasks, long moreNanos) {
      tasks += moreTasks;
      nanos += moreNanos;
    }

    double perSecond() {
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
    this.window = window;
    this.windows = 2 * pairs;
    this.measurement = thread.submit(this::measure);
  }

  private Void measure() throws InterruptedException {
    long begun = System.nanoTime();
    for (int i = 1; i <= windows; i++) {
      boolean isOn = i % 4 < 2;
      influence.accept(isOn);
      long doneBefore = consumption.done();
      long nanosBefore = System.nanoTime();
      TimeUnit.NANOSECONDS.sleep(begun + i * window.toNanos() - nanosBefore);
      (isOn ? with : without).add(consumption.done() - doneBefore, System.nanoTime() - nanosBefore);
    }
    return null;
  }

  /** Tasks done a second with the influence, once this is closed. */
  double withPerSecond() {
    return with.perSecond();
  }

  /** Tasks done a second without it, once this is closed. */
  double withoutPerSecond() {
    return without.perSecond();
  }

  /**
   * Waits for the end of the last window.
   *
   * @throws IllegalStateException if a window failed, with its failure, or does not end
   */
  @Override
  public void close() throws InterruptedException {
    try {
      measurement.get(1, TimeUnit.MINUTES);
    } catch (ExecutionException e) {
      throw new IllegalStateException("a window of " + window + " failed", e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("a window of " + window + " does not end", e);
    } finally {
      thread.shutdownNow();
    }
  }
}
