package dev.rota.limits;

import dev.rota.internal.text.SafeText;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one scope. Immutable and thread-safe; each method returns a copy. A tenant's own
 * limit replaces that of its plan, each by itself.
 *
 * @see Controls#changeLimits
 */
public final class Limits {

  /** The pool of tenants that were given none, which workers without pools serve. */
  public static final String DEFAULT_POOL = "default";

  private static final double LEAST_WEIGHT = 0.001;
  private static final double MOST_WEIGHT = 1_000;
  private static final int HIGHEST_TIER = 10;
  private static final Pattern POOL = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final Limits NONE = new Limits(new EnumMap<>(Setting.class));

  private final Map<Setting, Object> values;

  /** A limit that a scope may have, in the order of {@link #toString}. */
  private enum Setting {
    WEIGHT("weight"),
    TIER("tier"),
    CONCURRENCY("concurrency"),
    RATE("rate"),
    MAX_PENDING("maxPending"),
    MAX_PAYLOAD("maxPayload"),
    POOL("pool"),
    BREAKER("breaker");

    private final String label;

    Setting(String label) {
      this.label = label;
    }
  }

  private Limits(Map<Setting, Object> values) {
    this.values = values;
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
    return with(Setting.WEIGHT, share);
  }

  /**
   * Removes the weight, so that the one of the plan applies, or else 1.
   *
   * @return a copy without a weight
   */
  public Limits weightByDefault() {
    return without(Setting.WEIGHT);
  }

  /**
   * The weight.
   *
   * @return the weight, or empty if the scope has none
   */
  public Optional<Double> weight() {
    return value(Setting.WEIGHT, Double.class);
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
    return with(Setting.TIER, level);
  }

  /**
   * Removes the tier, so that the one of the plan applies, or else 0.
   *
   * @return a copy without a tier
   */
  public Limits tierByDefault() {
    return without(Setting.TIER);
  }

  /**
   * The tier.
   *
   * @return the tier, or empty if the scope has none
   */
  public Optional<Integer> tier() {
    return value(Setting.TIER, Integer.class);
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
    return with(Setting.CONCURRENCY, most);
  }

  /**
   * Removes the cap on concurrency, so that the one of the plan applies, or else none.
   *
   * @return a copy without a cap
   */
  public Limits concurrencyByDefault() {
    return without(Setting.CONCURRENCY);
  }

  /**
   * The cap on concurrency.
   *
   * @return the cap, or empty if the scope has none
   */
  public Optional<Integer> concurrency() {
    return value(Setting.CONCURRENCY, Integer.class);
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
    return with(Setting.MAX_PENDING, tasks);
  }

  /**
   * Removes the quota of pending tasks, so that the one of the plan applies, or else none.
   *
   * @return a copy without a quota
   */
  public Limits maxPendingByDefault() {
    return without(Setting.MAX_PENDING);
  }

  /**
   * The quota of pending tasks.
   *
   * @return the quota, or empty if the scope has none
   */
  public Optional<Long> maxPending() {
    return value(Setting.MAX_PENDING, Long.class);
  }

  /**
   * Sets the quota of payloads. An enqueue that would bring the tenant above it is refused whole,
   * until the next period begins. Only plans and tenants have quotas; that of a plan holds for each
   * of its tenants by itself.
   *
   * @param bytes 1 or more, in UTF-8; what processes have leased counts as used
   * @param per {@code HOURS}, {@code DAYS} or {@code MONTHS} of the calendar, in UTC
   * @return a copy with this quota
   * @throws IllegalArgumentException if out of range
   */
  public Limits maxPayload(long bytes, ChronoUnit per) {
    return maxPayload(new PayloadQuota(bytes, per));
  }

  /**
   * Sets the quota of payloads.
   *
   * @param most the quota
   * @return a copy with this quota
   * @see #maxPayload(long, ChronoUnit)
   */
  public Limits maxPayload(PayloadQuota most) {
    return with(Setting.MAX_PAYLOAD, Objects.requireNonNull(most, "maxPayload"));
  }

  /**
   * Removes the quota of payloads, so that the one of the plan applies, or else none.
   *
   * @return a copy without a quota of payloads
   */
  public Limits maxPayloadByDefault() {
    return without(Setting.MAX_PAYLOAD);
  }

  /**
   * The quota of payloads.
   *
   * @return the quota, or empty if the scope has none
   */
  public Optional<PayloadQuota> maxPayload() {
    return value(Setting.MAX_PAYLOAD, PayloadQuota.class);
  }

  /**
   * Gives the tasks to a pool of workers: only workers that serve it run them. A pool needs no
   * registration. Only plans and tenants have pools. Claims by {@link dev.rota.Tenant#claim} are
   * not bound to it.
   *
   * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}; {@link #DEFAULT_POOL} for workers without
   *     pools, whatever the plan says
   * @return a copy with this pool
   * @throws IllegalArgumentException if the name is malformed
   * @see dev.rota.Worker.Builder#pools
   */
  public Limits pool(String name) {
    return with(Setting.POOL, checkPool(name));
  }

  /**
   * Removes the pool, so that the one of the plan applies, or else {@link #DEFAULT_POOL}.
   *
   * @return a copy without a pool
   */
  public Limits poolByDefault() {
    return without(Setting.POOL);
  }

  /**
   * The pool.
   *
   * @return the pool, or empty if the scope has none
   */
  public Optional<String> pool() {
    return value(Setting.POOL, String.class);
  }

  private static String checkPool(String name) {
    if (!POOL.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "pool is '"
              + SafeText.of(name)
              + "'; it must be 1 to 64 characters of A-Z a-z 0-9 . _ -");
    }
    return name;
  }

  private Limits with(Setting setting, Object value) {
    Map<Setting, Object> changed = new EnumMap<>(values);
    changed.put(setting, value);
    return new Limits(changed);
  }

  private Limits without(Setting setting) {
    Map<Setting, Object> changed = new EnumMap<>(values);
    changed.remove(setting);
    return new Limits(changed);
  }

  private <T> Optional<T> value(Setting setting, Class<T> type) {
    return Optional.ofNullable(values.get(setting)).map(type::cast);
  }

  /**
   * Sets the breaker, which pauses a kind whose attempts fail. A plan's breaker holds for each of
   * its tenants by itself; that of a kind counts the attempts of all tenants together. A change of
   * the breaker ends the pause that it ordered.
   *
   * @param rule when to pause, and for how long
   * @return a copy with this breaker
   */
  public Limits breaker(Breaker rule) {
    return with(Setting.BREAKER, Objects.requireNonNull(rule));
  }

  /**
   * Removes the breaker, so that the one of the plan applies, or else none.
   *
   * @return a copy without a breaker
   */
  public Limits breakerByDefault() {
    return without(Setting.BREAKER);
  }

  /**
   * The breaker.
   *
   * @return the breaker, or empty if the scope has none
   */
  public Optional<Breaker> breaker() {
    return value(Setting.BREAKER, Breaker.class);
  }

  /**
   * Limits how many tasks of the scope begin in a time, over all processes; each attempt counts. A
   * plan's rate holds for each of its tenants by itself; that of everything or of a kind is one for
   * all tenants together. A task begins only if each rate and cap that it falls under has room. A
   * call of a batch handler counts as one start. Claims by {@link dev.rota.Tenant#claim} are not
   * limited, and do not count.
   *
   * @param starts how many may begin in each period
   * @param per the period, in whole milliseconds
   * @return a copy with this rate and the usual burst: what begins in 0.1 seconds, and at least 1
   * @throws IllegalArgumentException if the rate is above 1 a microsecond or below 1 a day
   */
  public Limits rate(long starts, Duration per) {
    return rate(Rate.of(starts, per));
  }

  /**
   * Sets the rate, with its burst.
   *
   * @param most the rate
   * @return a copy with this rate
   * @see #rate(long, Duration)
   */
  public Limits rate(Rate most) {
    return with(Setting.RATE, Objects.requireNonNull(most, "rate"));
  }

  /**
   * Sets how many tasks may begin at once after a time in which fewer began than the rate allows.
   *
   * @param most 1 to 1,000,000
   * @return a copy with this burst
   * @throws IllegalArgumentException if out of range, or if there is no rate
   */
  public Limits burst(int most) {
    Rate rate =
        rate()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "burst is "
                            + most
                            + ", and there is no rate; set a rate first, such as 100/s"));
    return rate(rate.withBurst(most));
  }

  /**
   * Removes the rate and its burst, so that the one of the plan applies, or else none.
   *
   * @return a copy without a rate
   */
  public Limits rateByDefault() {
    return without(Setting.RATE);
  }

  /**
   * The rate.
   *
   * @return the rate, or empty if the scope has none
   */
  public Optional<Rate> rate() {
    return value(Setting.RATE, Rate.class);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Limits limits && values.equals(limits.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.entrySet().stream()
        .map(entry -> entry.getKey().label + " " + entry.getValue())
        .collect(Collectors.joining(" "));
  }
}
