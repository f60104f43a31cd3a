package dev.rota.cli.demo;

import java.time.Duration;

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
    Workload workload, int tenants, Threads threads, Rotation rotation, Duration patience) {

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
   */
  public record Rotation(Duration period, long segmentBytes) {}
}
