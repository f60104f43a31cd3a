package dev.rota.internal.worker;

import dev.rota.internal.db.NamedThreads;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts handlers that exceed their time limit. Thread-safe. Its thread starts with the first
 * watch.
 */
final class HandlerTimeouts implements AutoCloseable {

  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(1, new NamedThreads("rota-watchdog"));

  HandlerTimeouts() {
    // A limit may be long, and the calls under it short and many.
    timer.setRemoveOnCancelPolicy(true);
  }

  /**
   * Calls a handler on the calling thread.
   *
   * @throws Throwable the exception of the handler, or a timeout if that caused it
   */
  <T> T run(Duration limit, Callable<T> handler) throws Throwable {
    try (Watch watch = new Watch(Thread.currentThread(), limit)) {
      watch.alarm = timer.schedule(watch::strike, limit.toNanos(), TimeUnit.NANOSECONDS);
      return call(handler, watch);
    }
  }

  private static <T> T call(Callable<T> handler, Watch watch) throws Throwable {
    try {
      return handler.call();
    } catch (Throwable e) {
      throw watch.explain(e);
    }
  }

  /** The number of alarms that it keeps. */
  int alarms() {
    return timer.getQueue().size();
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  /** The watch over one call of a handler. */
  private static final class Watch implements AutoCloseable {
    private final Thread handler;
    private final Duration limit;
    private @Nullable Future<?> alarm;
    private boolean over;
    private boolean struck;

    private Watch(Thread handler, Duration limit) {
      this.handler = handler;
      this.limit = limit;
    }

    private synchronized void strike() {
      if (!over) {
        struck = true;
        handler.interrupt();
      }
    }

    /** Returns the exception of a handler, or a timeout if that caused it. */
    synchronized Throwable explain(Throwable error) {
      if (!struck) {
        return error;
      }
      TimeoutException timeout =
          new TimeoutException("the handler was interrupted at its time limit of " + limit);
      timeout.initCause(error);
      return timeout;
    }

    /** Ends the watch. The interrupt was meant for this call alone. */
    @Override
    public synchronized void close() {
      over = true;
      if (alarm != null) {
        alarm.cancel(false);
      }
      if (struck) {
        Thread.interrupted();
      }
    }
  }
}
