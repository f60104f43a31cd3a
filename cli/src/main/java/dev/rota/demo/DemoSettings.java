package dev.rota.demo;

import dev.rota.archive.Archive;
import java.time.Duration;
import java.util.Optional;

/**
 * How a demo is run.
 *
 * @param workload what is enqueued
 * @param tenants over how many tenants
 * @param threads how many threads enqueue and work
 * @param rotation how the tables rotate
 * @param patience after how long without any progress it is given up
 */
public record DemoSettings(
    DemoWorkload workload, int tenants, Threads threads, Rotation rotation, Duration patience) {

  /**
   * How many threads do what.
   *
   * @param producers threads that enqueue
   * @param workers handlers that run at the same time
   */
  public record Threads(int producers, int workers) {}

  /**
   * How the tables rotate.
   *
   * @param period how often the ring of each tenant is switched
   * @param segmentBytes the size from which on a segment of history is sealed
   * @param archiving where history goes, if anywhere
   */
  public record Rotation(Duration period, long segmentBytes, Optional<Archiving> archiving) {}

  /**
   * Where history goes.
   *
   * @param archive empty, or that of this database; stays open
   * @param keepHot after how long a segment is sealed, and how long it is kept then
   */
  public record Archiving(Archive archive, Duration keepHot) {}
}
