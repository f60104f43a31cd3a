package dev.rota.internal.worker;

/**
 * Estimates how long a task of one kind of one tenant runs: the longest recent run, which decays by
 * a tenth with each shorter one. So a tenant whose tasks vary counts as slow, and does not delay
 * others by surprise. Used under the lock of its {@link Flows}.
 *
 * <p>The pessimistic estimate is that of 2DFQ (Mace et al., SIGCOMM 2016).
 */
final class RunCost {

  /** The limit of a short task: longer ones occupy handlers noticeably for others. */
  static final double LONG = 0.020;

  /** The estimate of tasks without any run so far. */
  private static final double UNSEEN = 20e-6;

  /** The run time up to which tasks are run together; other tenants wait no longer for that. */
  static final double TOGETHER = 0.0001;

  private static final int MOST_TOGETHER = 16;
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
   * Whether the next task may occupy a handler for long. Until one has ended, the first one is
   * tried out, and the others wait for its result.
   */
  boolean isLong() {
    return seen ? seconds > LONG : running > 0;
  }

  /** Whether a task has ended, or run for long. */
  boolean isSeen() {
    return seen;
  }

  /** The number of tasks that one handler may run before others get their turn. */
  int together() {
    return seen ? Math.max(1, Math.min(MOST_TOGETHER, (int) (TOGETHER / seconds))) : 1;
  }

  /** Records that one more task begins. */
  void begin() {
    running++;
  }

  /** Records that a task has run for this number of seconds and continues. */
  void runs(double soFar) {
    if (soFar > LONG) {
      seen = true;
    }
    seconds = Math.max(seconds, soFar);
  }

  /** Records that a task has ended. */
  void end(double took) {
    running--;
    seen = true;
    seconds = Math.max(LEAST, Math.max(took, KEPT * seconds));
  }
}
