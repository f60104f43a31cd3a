package dev.rota.internal.worker;

/**
 * Estimates how long a task of one kind of one tenant runs: the longest run of late, which loses a
 * tenth of itself with each shorter one. So a tenant whose tasks vary is taken for a slow one, and
 * does not get in the way of others by surprise. Used under the lock of its {@link Flows}.
 *
 * <p>The pessimistic estimate is that of 2DFQ (Mace et al., SIGCOMM 2016).
 */
final class RunCost {

  /** Tasks that run longer take handlers from others for a time that others feel. */
  static final double LONG = 0.020;

  /** Of tasks that were never seen to run. */
  private static final double UNSEEN = 20e-6;

  private static final double LEAST = 5e-6;
  private static final double KEPT = 0.9;

  private double seconds = UNSEEN;
  private boolean seen;
  private int running;

  /** The estimate, in seconds. */
  double seconds() {
    return seconds;
  }

  /**
   * Whether the next one may keep a handler for long. As long as none has ended, the first one is
   * tried out, and those beside it wait for what it shows.
   */
  boolean isLong() {
    return seen ? seconds > LONG : running > 0;
  }

  /** Whether one ended, or ran for long. */
  boolean isSeen() {
    return seen;
  }

  /** One more begins. */
  void begin() {
    running++;
  }

  /** One runs for so many seconds already. */
  void runs(double soFar) {
    if (soFar > LONG) {
      seen = true;
    }
    seconds = Math.max(seconds, soFar);
  }

  /** One has ended. */
  void end(double took) {
    running--;
    seen = true;
    seconds = Math.max(LEAST, Math.max(took, KEPT * seconds));
  }
}
