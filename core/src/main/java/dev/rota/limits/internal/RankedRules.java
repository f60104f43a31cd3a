package dev.rota.limits.internal;

import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.db.Session;
import dev.rota.limits.Controls;
import dev.rota.limits.Limits;
import dev.rota.limits.internal.why.FairShares;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The rules as stored at one moment, by tenant. Immutable. */
final class RankedRules implements FairShares.Ranks {

  private final List<RuleRow> rows;
  private final Map<Integer, String> plans;
  private final BreakerRules breakers;
  private final Map<Integer, Limits> ofTenants = new HashMap<>();
  private final Map<String, Limits> ofPlans = new HashMap<>();

  private RankedRules(List<RuleRow> rows, Map<Integer, String> plans) {
    this.plans = plans;
    this.breakers = new BreakerRules(rows, this::planOf, 0);
    this.rows = rows.stream().filter(row -> !breakers.ignores(row)).toList();
    for (RuleRow row : rows) {
      if (row.scope().kind().isEmpty() && row.scope().priority().isEmpty()) {
        row.tenant().ifPresent(tenant -> ofTenants.put(tenant, row.limits()));
        row.scope().plan().ifPresent(plan -> ofPlans.put(plan, row.limits()));
      }
    }
  }

  static RankedRules read(Session session, RuleStore store) throws SQLException {
    return new RankedRules(store.read(session), store.readPlans(session));
  }

  /** The rules that hold for tasks of a tenant, of any kind and priority. */
  List<RuleRow> of(int tenant) {
    return rows.stream().filter(row -> isOf(row, tenant)).toList();
  }

  private boolean isOf(RuleRow row, int tenant) {
    if (row.tenant().isPresent()) {
      return row.tenant().getAsInt() == tenant;
    }
    return row.scope().plan().map(plan -> plan.equals(planOf(tenant))).orElse(true);
  }

  /** The caps of all rules, and of what breakers try. */
  CapRules caps() {
    return new CapRules(rows, this::planOf, breakers.probes());
  }

  private String planOf(int tenant) {
    return plans.getOrDefault(tenant, Controls.DEFAULT_PLAN);
  }

  @Override
  public double weight(int tenant) {
    return limit(tenant, Limits::weight).orElse(TaskRules.STANDARD_WEIGHT);
  }

  @Override
  public int tier(int tenant) {
    return limit(tenant, Limits::tier).orElse(TaskRules.STANDARD_TIER);
  }

  /** The own limit of a tenant, or else that of its plan. */
  private <T> Optional<T> limit(int tenant, Function<Limits, Optional<T>> which) {
    Limits own = ofTenants.getOrDefault(tenant, Limits.none());
    return which
        .apply(own)
        .or(() -> which.apply(ofPlans.getOrDefault(planOf(tenant), Limits.none())));
  }
}
