package dev.rota.benchmarks.load;

/**
 * How far a run was at a moment.
 *
 * @param seconds since tasks began to arrive
 * @param counts what had happened until then
 * @param latency of the tasks that handlers began with since the sample before
 */
public record Sample(double seconds, Counts counts, LatencySummary latency) {

  /**
   * What has happened.
   *
   * @param enqueued tasks that the library said are stored
   * @param settled tasks settled as done
   * @param backlog tasks enqueued and not yet handled
   * @param rotations switches of rings
   */
  public record Counts(long enqueued, long settled, long backlog, long rotations) {}

  public double enqueuedPerSecondSince(Sample earlier) {
    return (counts.enqueued() - earlier.counts.enqueued()) / secondsSince(earlier);
  }

  public double settledPerSecondSince(Sample earlier) {
    return (counts.settled() - earlier.counts.settled()) / secondsSince(earlier);
  }

  private double secondsSince(Sample earlier) {
    return Math.max(seconds - earlier.seconds, 1e-9);
  }
}
