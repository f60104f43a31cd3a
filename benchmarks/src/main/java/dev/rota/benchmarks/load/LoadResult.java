package dev.rota.benchmarks.load;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The result of a run.
 *
 * @param settings the settings of the run
 * @param flow the rates
 * @param audit the check that each task ran once
 * @param server the server, and the cost there
 * @param series the figures over time
 */
public record LoadResult(
    LoadSettings settings, Rates flow, Audit audit, Server server, Series series) {

  /**
   * The rates in the measured window.
   *
   * @param enqueuedPerSecond tasks enqueued
   * @param settledPerSecond tasks settled
   * @param backlog tasks enqueued and not handled at the end of the window
   * @param drainSeconds the time after that until all were settled
   */
  public record Rates(
      double enqueuedPerSecond, double settledPerSecond, long backlog, double drainSeconds) {}

  /**
   * The outcome of the tasks, of the whole run with warm-up and drain.
   *
   * @param enqueued tasks that the library acknowledged
   * @param settled tasks settled as done
   * @param lost tasks that the library acknowledged and no handler got
   * @param duplicated how often a handler got a task that one had already got
   * @param unsent tasks that were due by the schedule and that no producer sent
   */
  public record Audit(long enqueued, long settled, long lost, long duplicated, long unsent) {

    public boolean intact() {
      return lost == 0 && duplicated == 0;
    }
  }

  /**
   * The server, and the cost there.
   *
   * @param version the version of PostgreSQL
   * @param durable whether commits survive a crash of the machine
   * @param logBytes the bytes written to the log, of the whole run with warm-up and drain
   * @param rotations switches of rings
   * @param postponed postponed switches
   */
  public record Server(
      String version, boolean durable, long logBytes, long rotations, long postponed) {}

  /**
   * The figures over time.
   *
   * @param samples from the first arrival to the end of the drain
   * @param sizes the sizes of tables over rotations
   * @param latencies in nanoseconds, of all tasks that arrived in the measured window
   * @param finalSizes the sizes of tables after the drain
   */
  public record Series(
      List<Sample> samples,
      List<SizeSample> sizes,
      Histogram latencies,
      OccupiedBytes finalSizes) {}

  public LatencySummary latency() {
    return LatencySummary.of(series.latencies);
  }

  public long logBytesPerTask() {
    return server.logBytes / Math.max(1, audit.settled);
  }

  public static int cores() {
    return Runtime.getRuntime().availableProcessors();
  }

  /** The fields by name, in the order in which they are printed. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("enqueuedPerSecond", Math.round(flow.enqueuedPerSecond));
    fields.put("settledPerSecond", Math.round(flow.settledPerSecond));
    fields.put("backlog", flow.backlog);
    fields.put("latencyMillis", latency().fields());
    fields.put("walBytesPerTask", logBytesPerTask());
    fields.put("rotations", server.rotations);
    fields.put("rotationsPostponed", server.postponed);
    fields.put("lost", audit.lost);
    fields.put("duplicated", audit.duplicated);
    fields.put("enqueued", audit.enqueued);
    fields.put("settled", audit.settled);
    fields.put("unsent", audit.unsent);
    fields.put("drainSeconds", Math.round(flow.drainSeconds * 1_000) / 1_000.0);
    fields.put("sizeBytes", series.finalSizes.fields());
    fields.put("postgres", server.version);
    fields.put("durable", server.durable);
    fields.put("cores", cores());
    fields.put("settings", settings.fields());
    return fields;
  }
}
