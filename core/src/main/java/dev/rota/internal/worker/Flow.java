package dev.rota.internal.worker;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A tenant's share of the handlers of a worker. Used under the lock of its {@link Flows}.
 *
 * <p>Its tag is a time of start-time fair queueing (Goyal et al., SIGCOMM 1996): the seconds that
 * its tasks ran, over its weight. The flow with the lowest tag is next.
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

  /** It comes back after a pause, in which it saved nothing up. */
  void startAt(double virtualTime) {
    tag = Math.max(tag, virtualTime);
  }

  /** Its tasks ran for so many seconds, or for so many fewer than was charged before. */
  void charge(double seconds) {
    tag += seconds / weight;
  }

  /** Its tasks wait in one more queue, or in one less. */
  void waits(int more) {
    queues += more;
  }

  /** So many more of its pieces run, or so many fewer. */
  void runs(int more) {
    running += more;
  }

  boolean isActive() {
    return queues > 0 || running > 0;
  }
}
