package dev.rota.benchmarks.load;

/**
 * The state of a run at a moment.
 *
 * @param seconds since tasks began to arrive
 * @param counts the counts until then
 * @param latency the latency of tasks that handlers began since the previous sample
 */
public record Sample(double seconds, Counts counts, LatencySummary latency) {

  /**
   * The counts of a run.
   *
   * @param enqueued tasks that the library acknowledged
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
