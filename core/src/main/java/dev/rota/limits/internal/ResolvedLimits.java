package dev.rota.limits.internal;

import dev.rota.internal.claim.TaskRules;
import dev.rota.limits.Controls;
import dev.rota.limits.Limits;
import dev.rota.limits.Rate;
import dev.rota.limits.internal.why.FairShares;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What holds for each tenant by all rules: its own limit or else that of its plan, each by itself.
 * Immutable.
 */
final class ResolvedLimits implements FairShares.Ranks {

  private final Map<Integer, String> plans;
  private final ByTenant<Double> weights = new ByTenant<>(TaskRules.STANDARD_WEIGHT);
  private final ByTenant<Integer> tiers = new ByTenant<>(TaskRules.STANDARD_TIER);
  private final ByTenant<String> pools = new ByTenant<>(TaskRules.STANDARD_POOL);
  private final BreakerRules breakers;
  private final CapRules caps;
  private final ScopeLimits<Rate> rates;

  /** One sort of limit. */
  private final class ByTenant<T> {
    private final Map<Integer, T> ofTenants = new HashMap<>();
    private final Map<String, T> ofPlans = new HashMap<>();
    private final T usual;

    ByTenant(T usual) {
      this.usual = usual;
    }

    void add(RuleRow row, T limit) {
      if (row.tenant().isPresent()) {
        ofTenants.put(row.tenant().getAsInt(), limit);
      } else {
        row.scope().plan().ifPresent(plan -> ofPlans.put(plan, limit));
      }
    }

    T of(int tenant) {
      T own = ofTenants.get(tenant);
      return own != null ? own : ofPlans.getOrDefault(planOf(tenant), usual);
    }

    boolean isEmpty() {
      return ofTenants.isEmpty() && ofPlans.isEmpty();
    }
  }

  /**
   * Resolves rules.
   *
   * @param rows all that are stored
   * @param plans the plans of tenants that do not have the default one
   * @param age how many nanoseconds ago the rows were read
   */
  ResolvedLimits(List<RuleRow> rows, Map<Integer, String> plans, long age) {
    this.plans = Map.copyOf(plans);
    this.breakers = new BreakerRules(rows, this::planOf, age);
    this.caps = new CapRules(rows, this::planOf, breakers.probes());
    this.rates = new ScopeLimits<>(rows, this::planOf, Limits::rate);
    for (RuleRow row : rows) {
      row.limits().weight().ifPresent(weight -> weights.add(row, weight));
      row.limits().tier().ifPresent(tier -> tiers.add(row, tier));
      row.limits().pool().ifPresent(pool -> pools.add(row, pool));
    }
  }

  /** The plan of a tenant. */
  String planOf(int tenant) {
    return plans.getOrDefault(tenant, Controls.DEFAULT_PLAN);
  }

  @Override
  public double weight(int tenant) {
    return weights.of(tenant);
  }

  @Override
  public int tier(int tenant) {
    return tiers.of(tenant);
  }

  /** The pool whose workers serve a tenant. */
  String pool(int tenant) {
    return pools.of(tenant);
  }

  /** Whether tenants have different weights or tiers. */
  boolean areUneven() {
    return !(weights.isEmpty() && tiers.isEmpty());
  }

  /** Whether tenants may be in other pools than the default one. */
  boolean arePooled() {
    return !pools.isEmpty();
  }

  /** The breakers of all rules. */
  BreakerRules breakers() {
    return breakers;
  }

  /** The rates of all rules. */
  ScopeLimits<Rate> rates() {
    return rates;
  }

  /** The caps of all rules, and of what breakers try. */
  CapRules caps() {
    return caps;
  }
}
