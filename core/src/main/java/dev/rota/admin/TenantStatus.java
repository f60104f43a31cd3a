package dev.rota.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The state of one tenant. Times are by the clock of the database. Immutable.
 *
 * @param identity which tenant it is
 * @param backlog what it has to do
 * @param running what workers hold of it
 * @param ring how its ring of pending tables turns
 * @param segment the segment of history into which claims write
 * @see Admin#status()
 */
public record TenantStatus(
    Identity identity, Backlog backlog, Running running, Ring ring, Segment segment) {

  /**
   * Which tenant it is.
   *
   * @param number the number in the names of its tables
   * @param name the name for people
   * @param closed whether it refuses new tasks
   * @param parked whether it has no tables: since its registration, or since the daemon dropped
   *     them
   */
  public record Identity(int number, String name, boolean closed, boolean parked) {}

  /**
   * Tasks that no worker holds. They are counted where that is quick. Elsewhere the numbers are the
   * server's own estimates, which lag behind and include tasks of transactions that are open.
   *
   * @param estimatedPending tasks in the ring, ready to run
   * @param estimatedWaiting delayed tasks, and retries whose time has not come
   * @param counted whether both numbers were counted, so that they are exact
   * @param oldestPending how long ago the oldest task in the ring was enqueued; empty if the ring
   *     is empty or was not counted, negative if another program wrote a time to come
   */
  public record Backlog(
      long estimatedPending,
      long estimatedWaiting,
      boolean counted,
      Optional<Duration> oldestPending) {}

  /**
   * What workers hold.
   *
   * @param tasks tasks in open batches, including those that have ended there
   * @param openBatches batches that are claimed and not yet closed
   */
  public record Running(long tasks, long openBatches) {}

  /**
   * How the ring of priority 0 turns.
   *
   * @param rotatedAt when it was switched last; empty before the first time
   * @param rotations how often it was switched
   * @param postponed how often a switch was put off
   * @param postponedReason why the last one that was put off was, in words
   */
  public record Ring(
      Optional<Instant> rotatedAt,
      long rotations,
      long postponed,
      Optional<String> postponedReason) {}

  /**
   * The open segment of history, or the next one of a parked tenant.
   *
   * @param number its number among the segments of the tenant
   * @param openedAt when it was opened; of a parked tenant, when that was registered
   * @param kept how many segments of the tenant are in the database, the open one included
   */
  public record Segment(int number, Instant openedAt, int kept) {}
}
