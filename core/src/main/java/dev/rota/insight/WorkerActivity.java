package dev.rota.insight;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A process that holds batches. Times are by the clock of the database. Immutable.
 *
 * @param id its number
 * @param host its host and the number of its process
 * @param heartbeat whether it is alive
 * @param holds what it holds
 * @param pools the pools of tenants that it serves
 */
public record WorkerActivity(
    long id, String host, Heartbeat heartbeat, Holds holds, List<String> pools) {

  /**
   * Copies the list.
   *
   * @param id its number
   * @param host its host and process
   * @param heartbeat whether it is alive
   * @param holds what it holds
   * @param pools the pools that it serves
   */
  public WorkerActivity {
    pools = List.copyOf(pools);
  }

  /**
   * The lease of a process.
   *
   * @param startedAt when it registered
   * @param alive whether it has sent a heartbeat within its lease
   * @param age how long ago the last one was
   * @param lease the length of the lease
   */
  public record Heartbeat(Instant startedAt, boolean alive, Duration age, Duration lease) {}

  /**
   * What a process holds.
   *
   * @param tasks tasks in open batches, including those that have ended there
   * @param openBatches batches that are claimed and not closed
   */
  public record Holds(long tasks, long openBatches) {}
}
