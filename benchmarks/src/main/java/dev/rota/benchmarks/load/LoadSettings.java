package dev.rota.benchmarks.load;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The settings of one run.
 *
 * @param tenancy the tenants
 * @param production the producers
 * @param consumption the worker
 * @param rotation the rotation of the tables meanwhile
 * @param timing the durations
 */
public record LoadSettings(
    Tenancy tenancy,
    Production production,
    Consumption consumption,
    Rotation rotation,
    Timing timing) {

  /**
   * The tenants of a run.
   *
   * @param tenants their number
   * @param skew the exponent of the Zipf distribution of tasks over tenants; 0 is even
   */
  public record Tenancy(int tenants, double skew) {}

  /**
   * The producers of a run.
   *
   * @param threads threads that enqueue
   * @param batch tasks of one call; 1 enqueues asynchronously, with shared commits
   * @param payloadBytes the size of a payload
   * @param arrivals the times of calls
   */
  public record Production(int threads, int batch, int payloadBytes, Arrivals arrivals) {}

  /**
   * The times of calls.
   *
   * @param tasksPerSecond a fixed schedule of this many tasks per second, or 0 for as fast as the
   *     backlog allows
   * @param backlog without a schedule, the most tasks that are enqueued and not yet handled
   */
  public record Arrivals(long tasksPerSecond, int backlog) {

    boolean scheduled() {
      return tasksPerSecond > 0;
    }
  }

  /**
   * The worker of a run.
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
   * The rotation of the tables.
   *
   * @param period how often the ring of each tenant is switched
   * @param segmentBytes the size from which a segment of history is sealed
   * @param keep how long sealed segments of history and ledger are kept
   * @param holdSnapshot whether a transaction keeps dead rows alive throughout
   */
  public record Rotation(Duration period, long segmentBytes, Duration keep, boolean holdSnapshot) {}

  /**
   * The durations of a run.
   *
   * @param warmup the time before the measurement
   * @param measured the measured window
   * @param patience the time without progress after which the drain is given up
   */
  public record Timing(Duration warmup, Duration measured, Duration patience) {}

  public LoadSettings withTenants(int tenants) {
    return new LoadSettings(
        new Tenancy(tenants, tenancy.skew), production, consumption, rotation, timing);
  }

  /** The fields by the names of the options, in the order in which they are printed. */
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
