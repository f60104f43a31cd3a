package dev.rota.micrometer;

import dev.rota.Rota;
import dev.rota.RotaClosedException;
import dev.rota.admin.DatabaseStatus;
import dev.rota.admin.TenantStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the status of a database in turns, and keeps the last one for gauges. Thread-safe. */
final class StatusWatch implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(StatusWatch.class);

  private final Rota rota;
  private final Duration pause;
  private final Meters meters;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "rota-metrics");
  private volatile @Nullable Sums last;
  private boolean troubled;

  /**
   * What the gauges show of a status.
   *
   * @param readAt when it was read, by {@link System#nanoTime}
   * @param tasks the sums over tenants
   * @param oldest how long ago the oldest pending task was enqueued
   */
  private record Sums(long readAt, Tasks tasks, double oldest, int workers, boolean leader) {

    record Tasks(long pending, long waiting, long running) {}

    static Sums of(DatabaseStatus status) {
      long pending = 0;
      long waiting = 0;
      long running = 0;
      double oldest = 0;
      for (TenantStatus tenant : status.tenants()) {
        pending += tenant.backlog().estimatedPending();
        waiting += tenant.backlog().estimatedWaiting();
        running += tenant.running().tasks();
        Optional<Duration> age = tenant.backlog().oldestPending();
        oldest = Math.max(oldest, age.map(Duration::toMillis).orElse(0L) / 1e3);
      }
      return new Sums(
          System.nanoTime(),
          new Tasks(pending, waiting, running),
          oldest,
          status.liveWorkers(),
          status.leader().isPresent());
    }
  }

  StatusWatch(Rota rota, Duration pause, Meters meters) {
    this.rota = rota;
    this.pause = pause;
    this.meters = meters;
    thread.setDaemon(true);
  }

  void start() {
    gauge(RotaMeter.TASKS_PENDING, sums -> sums.tasks.pending);
    gauge(RotaMeter.TASKS_WAITING, sums -> sums.tasks.waiting);
    gauge(RotaMeter.TASKS_RUNNING, sums -> sums.tasks.running);
    gauge(RotaMeter.OLDEST_PENDING, sums -> sums.oldest);
    gauge(RotaMeter.WORKERS_ALIVE, sums -> sums.workers);
    gauge(RotaMeter.DAEMON_PRESENT, sums -> sums.leader ? 1 : 0);
    gauge(RotaMeter.STATUS_AGE, sums -> (System.nanoTime() - sums.readAt) / 1e9);
    thread.start();
  }

  private void gauge(RotaMeter meter, ToDoubleFunction<Sums> value) {
    meters.gauge(meter, this, self -> self.value(value));
  }

  private double value(ToDoubleFunction<Sums> value) {
    Sums known = last;
    return known == null ? Double.NaN : value.applyAsDouble(known);
  }

  private void run() {
    try {
      boolean ended = false;
      while (!ended && look()) {
        ended = closed.await(pause.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      // Only the host interrupts it, when it ends.
      Thread.currentThread().interrupt();
    }
  }

  /** Reads the status once; false if the Rota is closed. */
  private boolean look() {
    try {
      last = Sums.of(rota.admin().status());
      troubled = false;
      return true;
    } catch (RotaClosedException e) {
      return false;
    } catch (RuntimeException | Error e) {
      if (!troubled) {
        log.warn(
            "the status of Rota could not be read for its metrics, which keep their values: {}",
            e.getMessage());
      }
      troubled = true;
      return true;
    }
  }

  /** Ends it after the present look. */
  @Override
  public void close() {
    closed.countDown();
  }
}
