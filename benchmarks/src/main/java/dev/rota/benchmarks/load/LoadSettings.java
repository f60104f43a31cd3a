package dev.rota.benchmarks.load;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How one run is made.
 *
 * @param tenancy over how many tenants
 * @param production how tasks are enqueued
 * @param consumption how they are worked off
 * @param rotation how the tables rotate meanwhile
 * @param timing how long it takes
 */
public record LoadSettings(
    Tenancy tenancy,
    Production production,
    Consumption consumption,
    Rotation rotation,
    Timing timing) {

  /**
   * Over how many tenants.
   *
   * @param tenants how many
   * @param skew the exponent of the Zipf distribution of tasks over tenants; 0 is even
   */
  public record Tenancy(int tenants, double skew) {}

  /**
   * How tasks are enqueued.
   *
   * @param threads threads that enqueue
   * @param batch tasks of one call; 1 enqueues asynchronously, with shared commits
   * @param payloadBytes the size of a payload
   * @param arrivals when calls are made
   */
  public record Production(int threads, int batch, int payloadBytes, Arrivals arrivals) {}

  /**
   * When calls are made.
   *
   * @param tasksPerSecond a fixed schedule of so many tasks per second, or 0 for as fast as the
   *     backlog allows
   * @param backlog without a schedule, the most tasks that are enqueued and not yet handled
   */
  public record Arrivals(long tasksPerSecond, int backlog) {

    boolean scheduled() {
      return tasksPerSecond > 0;
    }
  }

  /**
   * How tasks are worked off.
   *
   * @param concurrency handlers that run at the same time
   * @param batch the most tasks that one claim takes from one tenant
   * @param sleep how long a handler sleeps
   * @param together whether one call of the handler gets all tasks of a claim
   * @param hourlyStatistics whether the worker keeps its hourly statistics
   */
  public record Consumption(
      int concurrency, int batch, Duration sleep, boolean together, boolean hourlyStatistics) {}

  /**
   * How the tables rotate.
   *
   * @param period how often the ring of each tenant is switched
   * @param segmentBytes the size from which on a segment of history is sealed
   * @param keep how long sealed segments of history and ledger are kept
   * @param holdSnapshot whether a transaction keeps dead rows alive all the while
   */
  public record Rotation(Duration period, long segmentBytes, Duration keep, boolean holdSnapshot) {}

  /**
   * How long it takes.
   *
   * @param warmup before anything is measured
   * @param measured the measured window
   * @param patience after how long without progress the drain is given up
   */
  public record Timing(Duration warmup, Duration measured, Duration patience) {}

  public LoadSettings withTenants(int tenants) {
    return new LoadSettings(
        new Tenancy(tenants, tenancy.skew), production, consumption, rotation, timing);
  }

  /** All of it by the names of the options, in the order in which it is printed. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("seconds", seconds(timing.measured));
    fields.put("warmup", seconds(timing.warmup));
    fields.put("tenants", tenancy.tenants);
    fields.put("skew", tenancy.skew);
    fields.put("batch", production.batch);
    if (production.arrivals.scheduled()) {
      fields.put("rate", production.arrivals.tasksPerSecond);
    } else {
      fields.put("backlogBound", production.arrivals.backlog);
    }
    fields.put("payload", production.payloadBytes);
    fields.put("producers", production.threads);
    fields.put("workerBatch", consumption.batch);
    fields.put("concurrency", consumption.concurrency);
    fields.put("handlerSleepMillis", consumption.sleep.toMillis());
    fields.put("handleBatches", consumption.together);
    fields.put("hourlyStatistics", consumption.hourlyStatistics);
    fields.put("rotateEverySeconds", seconds(rotation.period));
    fields.put("segmentBytes", rotation.segmentBytes);
    fields.put("keepSeconds", seconds(rotation.keep));
    fields.put("holdSnapshot", rotation.holdSnapshot);
    return fields;
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1_000.0;
  }
}
