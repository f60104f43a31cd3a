package dev.rota.internal.worker;

import dev.rota.internal.worker.Flows.Flow;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Computes how many tasks of each tenant to hold ready: half a second's worth of its share of the
 * handlers. Where weights decide it is two seconds' worth, since others cannot fill in for a tenant
 * of which nothing is held. Used under the lock of its {@link Flows}.
 */
final class FlowPrefetch {

  private static final double SECONDS_READY = 0.5;
  private static final double UNEVEN_SECONDS_READY = 2;

  /** The part of that below which a claim is worth its cost. */
  private static final double REFILL = 0.5;

  private static final int LEAST_PART = 16;

  private final Flows flows;
  private final int handlers;

  /** The tasks of one tenant that are held and wait. */
  interface Held {

    /** The flow of the tenant. */
    Flow flow();

    /** How many they are. */
    int count();

    /** How long a task runs on average, in seconds. */
    double meanSeconds();

    /** Whether one of its tasks has ended here. */
    boolean isTried();

    /** Whether the next one is expected to be long. */
    boolean isLong();
  }

  /** For a queue whose tasks so many handlers run. */
  FlowPrefetch(Flows flows, int handlers) {
    this.flows = flows;
    this.handlers = handlers;
  }

  /** Whether a tenant has its part, so that no more is claimed; never one that is alone. */
  boolean isSated(int tenant, @Nullable Held own) {
    if (flows.isSated(tenant)) {
      return true;
    }
    return own != null
        && !mayTakeAll(own)
        && own.count() >= part(own, flows.areUneven() ? REFILL : 1);
  }

  /**
   * Whether half of its part is held, or half of the tenant's share of all tasks to hold. Of a
   * tenant that is alone, or has long tasks, no more is wanted while the worker holds enough in
   * total.
   *
   * @param target how many tasks to hold in total
   */
  boolean isHalfSated(int tenant, @Nullable Held own, double target) {
    if (flows.isSated(tenant)) {
      return true;
    }
    if (own == null) {
      return false;
    }
    return own.isLong()
        || (own.count() > 0 && flows.isAlone())
        || own.count() >= part(own, 0.5)
        || own.count() >= Math.max(LEAST_PART, 0.5 * target * flows.share(own.flow()));
  }

  /**
   * How many tasks to hold so that each tenant has its part. Equal numbers would let those run dry
   * that have much weight and short tasks. None where all tenants have the same weight.
   */
  double parts(Collection<? extends Held> tenants) {
    return flows.areUneven() ? tenants.stream().mapToDouble(own -> part(own, 1)).sum() : 0;
  }

  /**
   * How many tasks of a tenant to claim.
   *
   * @param even how many that are where all tenants have the same weight
   * @param most how many at most
   */
  int wanted(@Nullable Held own, int even, int most) {
    if (!flows.areUneven() || (own != null && mayTakeAll(own))) {
      return even;
    }
    return own == null ? Math.min(even, LEAST_PART) : Math.min(most, missing(own));
  }

  /** How many tasks are missing to the part of a tenant. */
  int missing(@Nullable Held own) {
    if (own == null) {
      return LEAST_PART;
    }
    return mayTakeAll(own) ? Integer.MAX_VALUE : (int) Math.max(1, part(own, 1) - own.count());
  }

  /**
   * Whether a tenant is alone, so that all it has is wanted. Where weights decide, one of its tasks
   * must have ended: a worker that starts meets one tenant first, and does not know how long its
   * tasks are. What it took of them would be kept from other workers for as long.
   */
  private boolean mayTakeAll(Held own) {
    return flows.isAlone() && !isUntried(own);
  }

  private boolean isUntried(Held own) {
    return flows.areUneven() && !own.isTried();
  }

  private double part(Held own, double partly) {
    if (isUntried(own)) {
      return LEAST_PART;
    }
    double seconds = flows.areUneven() ? UNEVEN_SECONDS_READY : SECONDS_READY;
    double part = seconds * handlers * flows.share(own.flow()) / own.meanSeconds();
    return Math.max(LEAST_PART, partly * part);
  }

  /**
   * Estimates how long a task of one kind of one tenant runs: the longest recent run, which decays
   * by a tenth with each shorter one. So a tenant whose tasks vary counts as slow, and does not
   * delay others by surprise. Used under the lock of its {@link Flows}.
   *
   * <p>The pessimistic estimate is that of 2DFQ (Mace et al., SIGCOMM 2016).
   */
  static final class RunCost {

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

  /** Keeps the largest value of the last one to two seconds. Not thread-safe. */
  static final class RecentPeak {

    private static final long SPAN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private double peak;
    private double before;
    private long since;

    RecentPeak(long now) {
      this.since = now;
    }

    /** Records a value. */
    void add(double value, long now) {
      turn(now);
      peak = Math.max(peak, value);
    }

    /** The largest value; 0 if there was none. */
    double get(long now) {
      turn(now);
      return Math.max(before, peak);
    }

    private void turn(long now) {
      if (now - since >= SPAN_NANOS) {
        before = now - since < 2 * SPAN_NANOS ? peak : 0;
        peak = 0;
        since = now;
      }
    }
  }
}
