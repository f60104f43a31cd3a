package dev.rota.internal.worker;

import dev.rota.internal.db.NamedThreads;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts handlers that exceed their time limit. Thread-safe. Its thread starts with the first
 * watch.
 */
final class HandlerTimeouts implements AutoCloseable {

  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(new NamedThreads("rota-watchdog"));

  /** Watches the calling thread until the watch is closed; without a limit it does nothing. */
  Watch watch(@Nullable Duration limit) {
    Watch watch = new Watch(Thread.currentThread(), limit);
    if (limit != null) {
      watch.alarm = timer.schedule(watch::strike, limit.toNanos(), TimeUnit.NANOSECONDS);
    }
    return watch;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  /** The watch over one call of a handler. */
  static final class Watch implements AutoCloseable {
    private final Thread handler;
    private final @Nullable Duration limit;
    private @Nullable Future<?> alarm;
    private boolean over;
    private boolean struck;

    private Watch(Thread handler, @Nullable Duration limit) {
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
