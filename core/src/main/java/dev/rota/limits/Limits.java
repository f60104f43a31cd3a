package dev.rota.limits;

import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one scope. Immutable and thread-safe; each method returns a copy. A tenant's own
 * limit replaces that of its plan, each by itself.
 *
 * @see Controls#changeLimits
 */
public final class Limits {

  private static final double LEAST_WEIGHT = 0.001;
  private static final double MOST_WEIGHT = 1_000;
  private static final int HIGHEST_TIER = 10;
  private static final Limits NONE = new Limits(null, null, null, null);

  private final @Nullable Double weight;
  private final @Nullable Integer tier;
  private final @Nullable Integer concurrency;
  private final @Nullable Long maxPending;

  private Limits(
      @Nullable Double weight,
      @Nullable Integer tier,
      @Nullable Integer concurrency,
      @Nullable Long maxPending) {
    this.weight = weight;
    this.tier = tier;
    this.concurrency = concurrency;
    this.maxPending = maxPending;
  }

  /**
   * Limits without any setting.
   *
   * @return the empty limits
   */
  public static Limits none() {
    return NONE;
  }

  /**
   * Sets the share of the handlers' time. Tenants that want more than they get share each worker in
   * proportion to their weights. No tenant waits while a handler is free. Only plans and tenants
   * have weights.
   *
   * @param share 0.001 to 1,000; a tenant without a weight has 1
   * @return a copy with this weight
   * @throws IllegalArgumentException if out of range
   */
  public Limits weight(double share) {
    if (!(share >= LEAST_WEIGHT && share <= MOST_WEIGHT)) {
      throw new IllegalArgumentException("weight is " + share + "; it must be 0.001 to 1000");
    }
    return new Limits(share, tier, concurrency, maxPending);
  }

  /**
   * Removes the weight, so that the one of the plan applies, or else 1.
   *
   * @return a copy without a weight
   */
  public Limits weightByDefault() {
    return new Limits(null, tier, concurrency, maxPending);
  }

  /**
   * The weight.
   *
   * @return the weight, or empty if the scope has none
   */
  public Optional<Double> weight() {
    return Optional.ofNullable(weight);
  }

  /**
   * Sets the tier. Tenants of a higher tier are served before those of lower ones, which share a
   * tenth of the handlers' time, and what the higher one leaves. Weights count within a tier. Only
   * plans and tenants have tiers.
   *
   * @param level -10 to 10; a tenant without a tier has 0
   * @return a copy with this tier
   * @throws IllegalArgumentException if out of range
   */
  public Limits tier(int level) {
    if (Math.abs((long) level) > HIGHEST_TIER) {
      throw new IllegalArgumentException("tier is " + level + "; it must be -10 to 10");
    }
    return new Limits(weight, level, concurrency, maxPending);
  }

  /**
   * Removes the tier, so that the one of the plan applies, or else 0.
   *
   * @return a copy without a tier
   */
  public Limits tierByDefault() {
    return new Limits(weight, null, concurrency, maxPending);
  }

  /**
   * The tier.
   *
   * @return the tier, or empty if the scope has none
   */
  public Optional<Integer> tier() {
    return Optional.ofNullable(tier);
  }

  /**
   * Caps how many tasks of the scope run at a time, over all processes. A plan's cap holds for each
   * of its tenants by itself; that of everything or of a kind is one for all tenants together. A
   * task begins only if each cap that it falls under has room. A call of a batch handler counts as
   * one task. Claims by {@link dev.rota.Tenant#claim} are not capped, and do not count.
   *
   * @param most 1 or more
   * @return a copy with this cap
   * @throws IllegalArgumentException if out of range
   */
  public Limits concurrency(int most) {
    if (most < 1) {
      throw new IllegalArgumentException(
          "concurrency is "
              + most
              + "; it must be 1 or more; to let nothing begin, pause the scope");
    }
    return new Limits(weight, tier, most, maxPending);
  }

  /**
   * Removes the cap on concurrency, so that the one of the plan applies, or else none.
   *
   * @return a copy without a cap
   */
  public Limits concurrencyByDefault() {
    return new Limits(weight, tier, null, maxPending);
  }

  /**
   * The cap on concurrency.
   *
   * @return the cap, or empty if the scope has none
   */
  public Optional<Integer> concurrency() {
    return Optional.ofNullable(concurrency);
  }

  /**
   * Sets the quota of pending tasks. An enqueue that would bring the tenant above it is refused
   * whole. Only plans and tenants have quotas; that of a plan holds for each of its tenants by
   * itself.
   *
   * @param tasks 1 or more; delayed tasks and retries that wait count, running ones do not
   * @return a copy with this quota
   * @throws IllegalArgumentException if less than 1
   */
  public Limits maxPending(long tasks) {
    if (tasks < 1) {
      throw new IllegalArgumentException(
          "maxPending is "
              + tasks
              + "; it must be 1 or more; to refuse all tasks, close the tenant");
    }
    return new Limits(weight, tier, concurrency, tasks);
  }

  /**
   * Removes the quota of pending tasks, so that the one of the plan applies, or else none.
   *
   * @return a copy without a quota
   */
  public Limits maxPendingByDefault() {
    return new Limits(weight, tier, concurrency, null);
  }

  /**
   * The quota of pending tasks.
   *
   * @return the quota, or empty if the scope has none
   */
  public Optional<Long> maxPending() {
    return Optional.ofNullable(maxPending);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Limits limits
        && Objects.equals(weight, limits.weight)
        && Objects.equals(tier, limits.tier)
        && Objects.equals(concurrency, limits.concurrency)
        && Objects.equals(maxPending, limits.maxPending);
  }

  @Override
  public int hashCode() {
    return Objects.hash(weight, tier, concurrency, maxPending);
  }

  @Override
  public String toString() {
    String ofWeight = weight == null ? "" : "weight " + weight;
    String ofTier = tier == null ? "" : "tier " + tier;
    String ofCap = concurrency == null ? "" : "concurrency " + concurrency;
    String ofQuota = maxPending == null ? "" : "maxPending " + maxPending;
    return Stream.of(ofWeight, ofTier, ofCap, ofQuota)
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(" "));
  }
}
