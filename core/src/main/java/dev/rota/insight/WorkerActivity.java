package dev.rota.insight;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A process that holds batches. Times are by the clock of the database. Immutable.
 *
 * @param id its number
 * @param host its host and the number of its process
 * @param heartbeat whether it is alive
 * @param holds what it holds
 * @param serves what it does, as it tells
 */
public record WorkerActivity(
    long id, String host, Heartbeat heartbeat, Holds holds, Serves serves) {

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

  /**
   * What the workers of a process do.
   *
   * @param pools the pools of tenants that they serve
   * @param kinds the kinds that they have handlers for, in order. Empty if the process does not
   *     tell: it has an older version, no worker, or handlers for more than 200 kinds
   * @param left the kinds whose tasks they found pending within the last 20 minutes without having
   *     a handler for them, in order; at most 50 of each worker
   */
  public record Serves(List<String> pools, Optional<List<String>> kinds, List<String> left) {

    /**
     * Copies the lists.
     *
     * @param pools the pools
     * @param kinds the kinds with handlers
     * @param left the kinds without
     */
    public Serves {
      pools = List.copyOf(pools);
      kinds = kinds.map(List::copyOf);
      left = List.copyOf(left);
    }

    /**
     * Whether the process has told of a handler for a kind.
     *
     * @param kind the kind
     * @return whether it has; false also if it does not tell
     */
    public boolean handles(String kind) {
      return kinds.map(all -> all.contains(kind)).orElse(false);
    }
  }
}
