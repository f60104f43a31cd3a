package dev.rota.benchmarks.load;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What a run did and found.
 *
 * @param settings how it was made
 * @param flow how fast tasks went through
 * @param audit whether each did, once
 * @param server where it ran, and what it cost there
 * @param series how it went over time
 */
public record LoadResult(
    LoadSettings settings, Rates flow, Audit audit, Server server, Series series) {

  /**
   * How fast tasks went through, in the measured window.
   *
   * @param enqueuedPerSecond tasks enqueued
   * @param settledPerSecond tasks settled
   * @param backlog tasks enqueued and not handled at the end of the window
   * @param drainSeconds how long it took after that until all were settled
   */
  public record Rates(
      double enqueuedPerSecond, double settledPerSecond, long backlog, double drainSeconds) {}

  /**
   * What became of the tasks, of the whole run with warm-up and drain.
   *
   * @param enqueued tasks that the library said are stored
   * @param settled tasks settled as done
   * @param lost tasks that the library said are stored, and that no handler has seen
   * @param duplicated how often a handler got a task that one had got before
   * @param unsent tasks that were due by the schedule and that no producer got round to
   */
  public record Audit(long enqueued, long settled, long lost, long duplicated, long unsent) {

    public boolean intact() {
      return lost == 0 && duplicated == 0;
    }
  }

  /**
   * Where it ran, and what it cost there.
   *
   * @param version the version of PostgreSQL
   * @param durable whether commits survive a crash of the machine
   * @param logBytes what was written to the log, of the whole run with warm-up and drain
   * @param rotations switches of rings
   * @param postponed switches that were put off
   */
  public record Server(
      String version, boolean durable, long logBytes, long rotations, long postponed) {}

  /**
   * How it went over time.
   *
   * @param samples from the first arrival to the end of the drain
   * @param sizes of tables over rotations
   * @param latencies in nanoseconds, of all tasks that arrived in the measured window
   * @param finalSizes of tables after the drain
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

  /** All of it by name, in the order in which it is printed. */
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
