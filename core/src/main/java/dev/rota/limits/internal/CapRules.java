package dev.rota.limits.internal;

import dev.rota.limits.Scope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;

/** The caps of all rules, by what they count. Immutable. */
final class CapRules {

  /** The cap of what has none. */
  static final int NONE = Integer.MAX_VALUE;

  private static final String EVERY_KIND = "";

  private final Map<String, Integer> ofAll = new HashMap<>();
  private final Map<String, Map<String, Integer>> ofPlans = new HashMap<>();
  private final Map<Integer, Map<String, Integer>> ofTenants = new HashMap<>();
  private final Map<Key, Integer> probes;
  private final IntFunction<String> planOf;

  /**
   * What a cap counts: tasks of a tenant or of all, of a kind or of every kind. Which rule sets the
   * cap makes no difference: what runs counts on when a tenant changes its plan.
   *
   * @param tenant the number of the tenant; 0 for all together
   * @param kind the kind; empty for every kind
   */
  record Key(int tenant, String kind) {}

  /**
   * Creates the caps.
   *
   * @param planOf returns the plan of a tenant
   * @param probes caps of what breakers try
   */
  CapRules(List<RuleRow> rows, IntFunction<String> planOf, Map<Key, Integer> probes) {
    this.planOf = planOf;
    this.probes = probes;
    rows.forEach(row -> row.limits().concurrency().ifPresent(cap -> add(row, cap)));
  }

  private void add(RuleRow row, int cap) {
    Scope scope = row.scope();
    Map<String, Integer> caps =
        row.tenant().isPresent()
            ? ofTenants.computeIfAbsent(row.tenant().getAsInt(), unused -> new HashMap<>())
            : scope
                .plan()
                .map(plan -> ofPlans.computeIfAbsent(plan, unused -> new HashMap<>()))
                .orElse(ofAll);
    caps.put(scope.kind().orElse(EVERY_KIND), cap);
  }

  /** Whether no rule has a cap. */
  boolean isEmpty() {
    return ofAll.isEmpty() && ofPlans.isEmpty() && ofTenants.isEmpty() && probes.isEmpty();
  }

  /** What the tasks of a kind of a tenant count towards. */
  List<Key> keysOf(int tenant, String kind) {
    List<Key> keys = new ArrayList<>(wholeOf(tenant));
    keys.addAll(ofKind(tenant, kind));
    return keys;
  }

  /** What tasks of a kind count towards besides what all of their tenant do. */
  List<Key> ofKind(int tenant, String kind) {
    List<Key> keys = new ArrayList<>();
    addIfCapped(keys, new Key(0, kind));
    addIfCapped(keys, new Key(tenant, kind));
    return keys;
  }

  /** What all tasks of a tenant count towards. */
  List<Key> wholeOf(int tenant) {
    List<Key> keys = new ArrayList<>();
    addIfCapped(keys, new Key(0, EVERY_KIND));
    addIfCapped(keys, new Key(tenant, EVERY_KIND));
    return keys;
  }

  /** The kinds of a tenant that have caps besides those of all its tasks. */
  Set<String> kindsOf(int tenant) {
    Set<String> kinds = new HashSet<>(ofAll.keySet());
    kinds.addAll(ofTenants.getOrDefault(tenant, Map.of()).keySet());
    kinds.addAll(ofPlans.getOrDefault(planOf.apply(tenant), Map.of()).keySet());
    probes.keySet().stream()
        .filter(key -> key.tenant == 0 || key.tenant == tenant)
        .forEach(key -> kinds.add(key.kind));
    kinds.remove(EVERY_KIND);
    return kinds;
  }

  private void addIfCapped(List<Key> keys, Key key) {
    if (capOf(key) != NONE) {
      keys.add(key);
    }
  }

  /** The cap; {@link #NONE} without one. The own one of a tenant replaces that of its plan. */
  int capOf(Key key) {
    return Math.min(ruleOf(key), probes.getOrDefault(key, NONE));
  }

  private int ruleOf(Key key) {
    if (key.tenant == 0) {
      return ofAll.getOrDefault(key.kind, NONE);
    }
    Integer own = ofTenants.getOrDefault(key.tenant, Map.of()).get(key.kind);
    return own != null
        ? own
        : ofPlans.getOrDefault(planOf.apply(key.tenant), Map.of()).getOrDefault(key.kind, NONE);
  }
}
