package dev.rota.limits.internal;

import dev.rota.limits.Limits;
import dev.rota.limits.Scope;
import dev.rota.limits.internal.why.Subject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One kind of limit of all rules, by what it counts. Immutable.
 *
 * @param <T> a limit, such as a cap or a rate
 */
class ScopeLimits<T> {

  private static final String EVERY_KIND = "";

  private final Map<String, T> ofAll = new HashMap<>();
  private final Map<String, Map<String, T>> ofPlans = new HashMap<>();
  private final Map<Integer, Map<String, T>> ofTenants = new HashMap<>();
  private final IntFunction<String> planOf;

  /**
   * What a limit counts: tasks of a tenant or of all, of a kind or of every kind. Which rule sets
   * it makes no difference: what runs counts on when a tenant changes its plan.
   *
   * @param tenant the number of the tenant; 0 for all together
   * @param kind the kind; empty for every kind
   */
  record Key(int tenant, String kind) {

    /** The scope of what it counts, of the tenant that a caller asks about. */
    Scope scope(Subject subject) {
      Scope whole = tenant == 0 ? Scope.everything() : Scope.tenant(subject.tenant().name());
      return kind.isEmpty() ? whole : whole.ofKind(kind);
    }

    /** Whether it counts all tasks that a caller asks about. */
    boolean countsAll(Subject subject) {
      return subject.isWhole(kind.isEmpty() ? null : kind);
    }
  }

  /**
   * Takes the limits from rules.
   *
   * @param planOf returns the plan of a tenant
   * @param limit returns the limit of a scope
   */
  ScopeLimits(List<RuleRow> rows, IntFunction<String> planOf, Function<Limits, Optional<T>> limit) {
    this.planOf = planOf;
    rows.forEach(row -> limit.apply(row.limits()).ifPresent(own -> add(row, own)));
  }

  private void add(RuleRow row, T own) {
    Scope scope = row.scope();
    Map<String, T> limits =
        row.tenant().isPresent()
            ? ofTenants.computeIfAbsent(row.tenant().getAsInt(), unused -> new HashMap<>())
            : scope
                .plan()
                .map(plan -> ofPlans.computeIfAbsent(plan, unused -> new HashMap<>()))
                .orElse(ofAll);
    limits.put(scope.kind().orElse(EVERY_KIND), own);
  }

  /** Whether no rule has one. */
  boolean isEmpty() {
    return ofAll.isEmpty() && ofPlans.isEmpty() && ofTenants.isEmpty();
  }

  /** What the tasks of a kind of a tenant count towards. */
  List<Key> keysOf(int tenant, String kind) {
    List<Key> keys = new ArrayList<>(wholeOf(tenant));
    keys.addAll(ofKind(tenant, kind));
    return keys;
  }

  /** What the tasks that a caller asks about count towards. */
  List<Key> keysOf(Subject subject) {
    int tenant = subject.tenant().number();
    List<Key> keys = new ArrayList<>(wholeOf(tenant));
    for (String kind : new TreeSet<>(kindsOf(tenant))) {
      if (subject.asks(kind) && subject.mayHave(kind)) {
        keys.addAll(ofKind(tenant, kind));
      }
    }
    return keys;
  }

  /** What tasks of a kind count towards besides what all of their tenant do. */
  List<Key> ofKind(int tenant, String kind) {
    List<Key> keys = new ArrayList<>();
    addIfLimited(keys, new Key(0, kind));
    addIfLimited(keys, new Key(tenant, kind));
    return keys;
  }

  /** What all tasks of a tenant count towards. */
  List<Key> wholeOf(int tenant) {
    List<Key> keys = new ArrayList<>();
    addIfLimited(keys, new Key(0, EVERY_KIND));
    addIfLimited(keys, new Key(tenant, EVERY_KIND));
    return keys;
  }

  /** The kinds of a tenant that have limits besides those of all its tasks. */
  Set<String> kindsOf(int tenant) {
    Set<String> kinds = new HashSet<>(ofAll.keySet());
    kinds.addAll(ofTenants.getOrDefault(tenant, Map.of()).keySet());
    kinds.addAll(ofPlans.getOrDefault(planOf.apply(tenant), Map.of()).keySet());
    kinds.remove(EVERY_KIND);
    return kinds;
  }

  private void addIfLimited(List<Key> keys, Key key) {
    if (of(key) != null) {
      keys.add(key);
    }
  }

  /** The limit; null without one. The own one of a tenant replaces that of its plan. */
  @Nullable T of(Key key) {
    if (key.tenant == 0) {
      return ofAll.get(key.kind);
    }
    T own = ofTenants.getOrDefault(key.tenant, Map.of()).get(key.kind);
    return own != null
        ? own
        : ofPlans.getOrDefault(planOf.apply(key.tenant), Map.of()).get(key.kind);
  }
}
