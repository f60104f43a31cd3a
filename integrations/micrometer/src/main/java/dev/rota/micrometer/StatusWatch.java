package dev.rota.micrometer;

import dev.rota.Rota;
import dev.rota.RotaClosedException;
import dev.rota.insight.Overview;
import java.time.Duration;
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
  private volatile @Nullable Look last;
  private boolean troubled;

  /** What was read, and when by {@link System#nanoTime}. */
  private record Look(Overview overview, long nanos) {

    double oldestSeconds() {
      return overview.estimated().oldestPending().map(Duration::toMillis).orElse(0L) / 1e3;
    }
  }

  StatusWatch(Rota rota, Duration pause, Meters meters) {
    this.rota = rota;
    this.pause = pause;
    this.meters = meters;
    thread.setDaemon(true);
  }

  void start() {
    gauge(RotaMeter.TASKS_PENDING, look -> look.overview.estimated().pending());
    gauge(RotaMeter.TASKS_WAITING, look -> look.overview.estimated().waiting());
    gauge(RotaMeter.TASKS_RUNNING, look -> look.overview.estimated().running());
    gauge(RotaMeter.OLDEST_PENDING, Look::oldestSeconds);
    gauge(RotaMeter.WORKERS_ALIVE, look -> look.overview.alive().workers());
    gauge(RotaMeter.DAEMON_PRESENT, look -> look.overview.alive().leads() ? 1 : 0);
    gauge(RotaMeter.STATUS_AGE, look -> (System.nanoTime() - look.nanos) / 1e9);
    thread.start();
  }

  private void gauge(RotaMeter meter, ToDoubleFunction<Look> value) {
    meters.gauge(meter, this, self -> self.value(value));
  }

  private double value(ToDoubleFunction<Look> value) {
    Look known = last;
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
      last = new Look(rota.insight().overview(), System.nanoTime());
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
