package dev.rota.demo;

import dev.rota.archive.Archive;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings of a demo.
 *
 * @param workload the workload
 * @param tenants the number of tenants
 * @param threads the threads that enqueue and work
 * @param rotation the rotation of the tables
 * @param patience the time without any progress after which it gives up
 */
public record DemoSettings(
    DemoWorkload workload, int tenants, Threads threads, Rotation rotation, Duration patience) {

  /**
   * The number of threads by role.
   *
   * @param producers threads that enqueue
   * @param workers handlers that run at the same time
   */
  public record Threads(int producers, int workers) {}

  /**
   * The rotation of the tables.
   *
   * @param period how often the ring of each tenant is switched
   * @param segmentBytes the size from which a segment of history is sealed
   * @param archiving the archive of history, if there is one
   */
  public record Rotation(Duration period, long segmentBytes, Optional<Archiving> archiving) {}

  /**
   * The archive of history.
   *
   * @param archive empty, or that of this database; stays open
   * @param keepHot the age at which a segment is sealed, and for how long it is kept then
   */
  public record Archiving(Archive archive, Duration keepHot) {}
}
