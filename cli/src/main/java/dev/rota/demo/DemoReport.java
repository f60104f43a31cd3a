package dev.rota.demo;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The result of a demo.
 *
 * @param audit the result of the audit of the tables
 * @param rotations the rotations of the tables
 * @param archived the archived history, if there was an archive
 * @param times the durations
 * @param server the server of the demo
 */
public record DemoReport(
    Audit audit, Rotations rotations, Optional<Archived> archived, Times times, Server server) {

  /**
   * The result of the audit of the tables.
   *
   * @param enqueued tasks whose ids the library returned to the producer
   * @param done tasks that succeeded
   * @param dead tasks that failed for the last time
   * @param attempts attempts that ran to an end
   * @param defects the defects
   */
  public record Audit(long enqueued, long done, long dead, long attempts, Defects defects) {}

  /**
   * The defects that an audit found.
   *
   * @param lost tasks that are in no table, or are done in the tables though their handler never
   *     ran
   * @param duplicated tasks that are twice in the tables, or attempts that ran twice
   * @param pending tasks that are not settled yet
   */
  public record Defects(long lost, long duplicated, long pending) {

    /**
     * Whether there are no defects.
     *
     * @return true if nothing is lost, duplicated or pending
     */
    public boolean none() {
      return lost == 0 && duplicated == 0 && pending == 0;
    }
  }

  /**
   * The rotations of the demo's tenants, by the registry.
   *
   * @param tenants the number of tenants
   * @param period the time after which a ring in use is due
   * @param switched switches of rings
   * @param postponed postponed switches
   * @param segmentsOpened segments of history opened after the first one of each tenant
   */
  public record Rotations(
      int tenants, Duration period, long switched, long postponed, long segmentsOpened) {}

  /**
   * The location of history at the end, by its tables and by the files themselves.
   *
   * @param hot rows in the database
   * @param cold rows in files of the archive that have left the database
   * @param files the number of those files
   * @param bytes their size
   * @param agrees whether {@code countHistory} returns the same by kind and state, over both
   */
  public record Archived(long hot, long cold, int files, long bytes, boolean agrees) {}

  /**
   * The durations of a demo.
   *
   * @param enqueueSeconds from the first enqueue to the last
   * @param totalSeconds from the first enqueue until all tasks were settled
   * @param earlyPerSecond tasks whose handler ended in the first ten seconds, for each second
   */
  public record Times(double enqueueSeconds, double totalSeconds, double earlyPerSecond) {}

  /**
   * The server of a demo.
   *
   * @param version the version of PostgreSQL
   * @param durable whether commits were durable: fsync and synchronous_commit were on
   */
  public record Server(String version, boolean durable) {}

  /**
   * Whether the demo succeeded.
   *
   * @return true if no task is lost, duplicated or pending, and history agrees with the tables
   */
  public boolean isFlawless() {
    return audit.defects().none() && archived.map(Archived::agrees).orElse(true);
  }

  /**
   * The rate from enqueue to settled.
   *
   * @return tasks settled per second
   */
  public double tasksPerSecond() {
    return (audit.done() + audit.dead()) / Math.max(times.totalSeconds(), 1e-9);
  }

  /**
   * The upper bound of switches of rings: all tenants in every whole period. A ring without new
   * tasks is not due.
   *
   * @return a number of switches
   */
  public long rotationsDue() {
    long periods = (long) (times.totalSeconds() * 1_000) / rotations.period().toMillis();
    return periods * rotations.tenants();
  }

  /**
   * The fields by name, in the order in which they are printed.
   *
   * @return a modifiable map
   */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("tenants", rotations.tenants());
    fields.put("enqueued", audit.enqueued());
    fields.put("done", audit.done());
    fields.put("dead", audit.dead());
    fields.put("attempts", audit.attempts());
    fields.put("lost", audit.defects().lost());
    fields.put("duplicated", audit.defects().duplicated());
    fields.put("pending", audit.defects().pending());
    fields.put("rotations", rotations.switched());
    fields.put("rotationsDue", rotationsDue());
    fields.put("rotationsPostponed", rotations.postponed());
    fields.put("segmentsOpened", rotations.segmentsOpened());
    archived.ifPresent(
        history -> {
          fields.put("hotAttempts", history.hot());
          fields.put("archivedAttempts", history.cold());
          fields.put("archivedFiles", history.files());
          fields.put("archivedBytes", history.bytes());
          fields.put("historyAgrees", history.agrees());
        });
    fields.put("enqueueSeconds", rounded(times.enqueueSeconds()));
    fields.put("totalSeconds", rounded(times.totalSeconds()));
    fields.put("tasksPerSecond", Math.round(tasksPerSecond()));
    fields.put("firstTenSecondsPerSecond", Math.round(times.earlyPerSecond()));
    fields.put("postgres", server.version());
    fields.put("durable", server.durable());
    return fields;
  }

  private static double rounded(double seconds) {
    return Math.round(seconds * 1_000) / 1_000.0;
  }
}
