package dev.rota.internal.worker;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A tenant's share of the handlers of a worker. Used under the lock of its {@link Flows}.
 *
 * <p>Its tag is a time of start-time fair queueing (Goyal et al., SIGCOMM 1996). It is the run time
 * of its tasks in seconds, divided by its weight. The flow with the lowest tag is next.
 */
final class Flow {

  private final int tenant;
  private final double weight;
  private final Map<String, RunCost> costs = new HashMap<>();
  private @Nullable String latestKind;
  private @Nullable RunCost latestCost;
  private double tag;
  private int queues;
  private int running;

  Flow(int tenant, double weight) {
    this.tenant = tenant;
    this.weight = weight;
  }

  int tenant() {
    return tenant;
  }

  double weight() {
    return weight;
  }

  double tag() {
    return tag;
  }

  /** What its tasks of a kind cost. Most tenants have the same kind over and over. */
  RunCost cost(String kind) {
    if (latestCost == null || !kind.equals(latestKind)) {
      latestKind = kind;
      latestCost = costs.computeIfAbsent(kind, unused -> new RunCost());
    }
    return latestCost;
  }

  /** Restarts the flow after a pause, for which it gets no credit. */
  void startAt(double virtualTime) {
    tag = Math.max(tag, virtualTime);
  }

  /** Charges seconds of run time; a negative number returns some that were charged before. */
  void charge(double seconds) {
    tag += seconds / weight;
  }

  /** Records that its tasks wait in one more queue, or in one less. */
  void waits(int more) {
    queues += more;
  }

  /** Records how many more of its pieces run; a negative number means fewer. */
  void runs(int more) {
    running += more;
  }

  boolean isActive() {
    return queues > 0 || running > 0;
  }
}
