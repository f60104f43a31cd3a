package dev.rota.limits.internal;

import dev.rota.limits.Breaker;
import dev.rota.limits.Rule.Pause.Origin;
import dev.rota.limits.Scope;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The breakers of all rules, by what they count, and those that have tripped. Immutable. */
final class BreakerRules {

  private final Map<String, Breaker> ofAll = new HashMap<>();
  private final Map<String, Map<String, Breaker>> ofPlans = new HashMap<>();
  private final Map<Integer, Map<String, Breaker>> ofTenants = new HashMap<>();
  private final Map<CapRules.Key, Trip> trips = new HashMap<>();
  private final IntFunction<String> planOf;

  /**
   * A breaker that has tripped.
   *
   * @param at when, by the clock of the database; it identifies the trip
   * @param paused whether the kind is still paused; else it is tried
   */
  record Trip(Instant at, boolean paused) {}

  /**
   * Creates the breakers.
   *
   * @param planOf returns the plan of a tenant
   * @param age how many nanoseconds ago the rows were read
   */
  BreakerRules(List<RuleRow> rows, IntFunction<String> planOf, long age) {
    this.planOf = planOf;
    rows.forEach(row -> row.limits().breaker().ifPresent(breaker -> add(row, breaker)));
    for (RuleRow row : rows) {
      RuleRow.Order order = row.order();
      CapRules.Key key = keyOf(row);
      if (order != null && order.origin() == Origin.BREAKER && of(key) != null) {
        boolean paused = row.pause().filter(pause -> pause.isLeft(age)).isPresent();
        trips.put(key, new Trip(order.at(), paused));
      }
    }
  }

  private void add(RuleRow row, Breaker breaker) {
    Scope scope = row.scope();
    Map<String, Breaker> breakers =
        row.tenant().isPresent()
            ? ofTenants.computeIfAbsent(row.tenant().getAsInt(), unused -> new HashMap<>())
            : scope
                .plan()
                .map(plan -> ofPlans.computeIfAbsent(plan, unused -> new HashMap<>()))
                .orElse(ofAll);
    scope.kind().ifPresent(kind -> breakers.put(kind, breaker));
  }

  private static CapRules.Key keyOf(RuleRow row) {
    return new CapRules.Key(row.tenant().orElse(0), row.scope().kind().orElse(""));
  }

  /** Whether there is no breaker. */
  boolean isEmpty() {
    return ofAll.isEmpty() && ofPlans.isEmpty() && ofTenants.isEmpty();
  }

  /** Whether a row says nothing, since its breaker is gone. */
  boolean ignores(RuleRow row) {
    RuleRow.Order order = row.order();
    return order != null && order.origin() == Origin.BREAKER && !trips.containsKey(keyOf(row));
  }

  /** How many tasks may run at a time of what is tried. */
  Map<CapRules.Key, Integer> probes() {
    Map<CapRules.Key, Integer> probes = new HashMap<>();
    trips.forEach(
        (key, trip) -> {
          Breaker breaker = of(key);
          if (!trip.paused && breaker != null) {
            probes.put(key, breaker.probes());
          }
        });
    return probes;
  }

  /** The breaker of what a key counts. The own one of a tenant replaces that of its plan. */
  @Nullable Breaker of(CapRules.Key key) {
    if (key.tenant() == 0) {
      return ofAll.get(key.kind());
    }
    Breaker own = ofTenants.getOrDefault(key.tenant(), Map.of()).get(key.kind());
    return own != null
        ? own
        : ofPlans.getOrDefault(planOf.apply(key.tenant()), Map.of()).get(key.kind());
  }

  /** The trip of a breaker; null if it lets tasks through. */
  @Nullable Trip trip(CapRules.Key key) {
    return trips.get(key);
  }

  /** What the tasks of a kind of a tenant count towards. */
  List<CapRules.Key> keysOf(int tenant, String kind) {
    List<CapRules.Key> keys = new ArrayList<>();
    for (CapRules.Key key : List.of(new CapRules.Key(0, kind), new CapRules.Key(tenant, kind))) {
      if (of(key) != null) {
        keys.add(key);
      }
    }
    return keys;
  }

  /** The kinds of a tenant that have breakers. */
  Set<String> kindsOf(int tenant) {
    Set<String> kinds = new HashSet<>(ofAll.keySet());
    kinds.addAll(ofTenants.getOrDefault(tenant, Map.of()).keySet());
    kinds.addAll(ofPlans.getOrDefault(planOf.apply(tenant), Map.of()).keySet());
    return kinds;
  }
}
