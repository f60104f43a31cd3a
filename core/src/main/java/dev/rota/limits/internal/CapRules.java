package dev.rota.limits.internal;

import dev.rota.limits.Limits;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The caps of all rules. Immutable. */
final class CapRules extends ScopeLimits<Integer> {

  /** The cap of what has none. */
  static final int NONE = Integer.MAX_VALUE;

  private final Map<Key, Integer> probes;

  /**
   * Creates the caps.
   *
   * @param planOf returns the plan of a tenant
   * @param probes caps of what breakers try
   */
  CapRules(List<RuleRow> rows, IntFunction<String> planOf, Map<Key, Integer> probes) {
    super(rows, planOf, Limits::concurrency);
    this.probes = probes;
  }

  @Override
  boolean isEmpty() {
    return super.isEmpty() && probes.isEmpty();
  }

  @Override
  Set<String> kindsOf(int tenant) {
    Set<String> kinds = super.kindsOf(tenant);
    probes.keySet().stream()
        .filter(key -> key.tenant() == 0 || key.tenant() == tenant)
        .forEach(key -> kinds.add(key.kind()));
    return kinds;
  }

  @Override
  @Nullable Integer of(Key key) {
    Integer cap = super.of(key);
    Integer probe = probes.get(key);
    if (cap == null || probe == null) {
      return cap == null ? probe : cap;
    }
    return Math.min(cap, probe);
  }

  /** The cap; {@link #NONE} without one. */
  int capOf(Key key) {
    Integer cap = of(key);
    return cap == null ? NONE : cap;
  }
}
