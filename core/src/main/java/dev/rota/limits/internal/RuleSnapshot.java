package dev.rota.limits.internal;

import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.claim.TaskRules.Bound;
import dev.rota.limits.Rate;
import dev.rota.limits.Scope;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** All rules as of one moment, by tenant. Immutable. */
final class RuleSnapshot implements TaskRules {

  /** The answer of a snapshot without a pause that ends. */
  static final long NEVER = Long.MAX_VALUE;

  private final ResolvedLimits limits;
  private final PauseSet ofAll = new PauseSet();
  private final Map<String, PauseSet> ofPlans = new HashMap<>();
  private final Map<Integer, PauseSet> ofTenants = new HashMap<>();
  // Those of tenants that have rules of their own or of their plan; all others have the same.
  private final Map<Integer, Pauses> known = new ConcurrentHashMap<>();
  private final Pauses common;
  private final long endsIn;
  private final CapRules caps;
  private final BreakerRules breakerRules;
  private final ScopeLimits<Rate> rates;
  private final Held held;
  private final Map<ScopeLimits.Key, Optional<Bound>> bounds = new ConcurrentHashMap<>();
  private final Map<ScopeLimits.Key, Optional<Guard>> guards = new ConcurrentHashMap<>();

  /** What one process holds of limits. */
  record Held(CapBudgets slots, RateBudgets starts, Breakers breakers) {}

  /** What is paused in some scope. */
  private static final class PauseSet {
    private boolean all;
    private final Set<String> kinds = new HashSet<>();
    private final Set<Integer> priorities = new HashSet<>();

    void add(Scope scope) {
      OptionalInt priority = scope.priority();
      if (scope.kind().isPresent()) {
        kinds.add(scope.kind().get());
      } else if (priority.isPresent()) {
        priorities.add(priority.getAsInt());
      } else {
        all = true;
      }
    }

    void addAll(PauseSet other) {
      all |= other.all;
      kinds.addAll(other.kinds);
      priorities.addAll(other.priorities);
    }

    Pauses pauses() {
      return new Pauses(all, kinds, priorities);
    }
  }

  /**
   * Creates the rules.
   *
   * @param rows all that are stored
   * @param plans the plans of tenants that do not have the default one
   * @param held what this process holds of limits
   * @param age how many nanoseconds ago the rows were read
   */
  RuleSnapshot(List<RuleRow> rows, Map<Integer, String> plans, Held held, long age) {
    this.limits = new ResolvedLimits(rows, plans, age);
    this.breakerRules = limits.breakers();
    long next = NEVER;
    for (RuleRow row : rows) {
      long left = row.pause().map(pause -> pause.left(age)).orElse(0L);
      if (left > 0 && !breakerRules.ignores(row)) {
        pauses(row).add(row.scope());
        next = Math.min(next, left);
      }
    }
    this.common = ofAll.pauses();
    this.endsIn = next;
    this.caps = limits.caps();
    this.held = held;
    this.rates = limits.rates();
  }

  private PauseSet pauses(RuleRow row) {
    if (row.tenant().isPresent()) {
      return ofTenants.computeIfAbsent(row.tenant().getAsInt(), unused -> new PauseSet());
    }
    return row.scope()
        .plan()
        .map(plan -> ofPlans.computeIfAbsent(plan, unused -> new PauseSet()))
        .orElse(ofAll);
  }

  /** Lets what this process holds follow these rules. */
  void apply() {
    held.slots.apply(caps);
    held.starts.apply(rates);
    held.breakers.apply(breakerRules);
  }

  /** How many nanoseconds after its creation the next pause ends; {@link #NEVER} if none does. */
  long endsIn() {
    return endsIn;
  }

  @Override
  public Pauses pauses(int tenant) {
    if (ofTenants.isEmpty() && ofPlans.isEmpty()) {
      return common;
    }
    PauseSet own = ofTenants.get(tenant);
    PauseSet ofPlan = ofPlans.get(limits.planOf(tenant));
    if (own == null && ofPlan == null) {
      return common;
    }
    return known.computeIfAbsent(tenant, unused -> pausesOf(own, ofPlan));
  }

  private Pauses pausesOf(@Nullable PauseSet own, @Nullable PauseSet ofPlan) {
    PauseSet together = new PauseSet();
    together.addAll(ofAll);
    if (own != null) {
      together.addAll(own);
    }
    if (ofPlan != null) {
      together.addAll(ofPlan);
    }
    return together.pauses();
  }

  @Override
  public double weight(int tenant) {
    return limits.weight(tenant);
  }

  @Override
  public boolean areUneven() {
    return limits.areUneven();
  }

  @Override
  public int tier(int tenant) {
    return limits.tier(tenant);
  }

  @Override
  public TaskRules of(Set<String> pools) {
    return !limits.arePooled() && pools.contains(STANDARD_POOL)
        ? this
        : only(tenant -> pools.contains(pool(tenant)));
  }

  @Override
  public String pool(int tenant) {
    return limits.pool(tenant);
  }

  @Override
  public boolean areBounded() {
    return !(caps.isEmpty() && rates.isEmpty());
  }

  @Override
  public @Nullable Bound bound(int tenant, String kind) {
    return areBounded()
        ? bounds
            .computeIfAbsent(
                new ScopeLimits.Key(tenant, kind),
                unused -> boundOf(caps.keysOf(tenant, kind), rates.keysOf(tenant, kind)))
            .orElse(null)
        : null;
  }

  private Optional<Bound> boundOf(List<ScopeLimits.Key> capped, List<ScopeLimits.Key> rated) {
    if (rated.isEmpty()) {
      return capped.isEmpty() ? Optional.empty() : Optional.of(held.slots.bound(capped));
    }
    Bound start = held.starts.bound(rated, rates);
    return Optional.of(
        capped.isEmpty() ? start : new SlotAndStart(held.slots.bound(capped), start));
  }

  @Override
  public int room(int tenant) {
    int slots = caps.isEmpty() ? Integer.MAX_VALUE : held.slots.room(caps.wholeOf(tenant));
    return rates.isEmpty() ? slots : Math.min(slots, held.starts.room(rates.wholeOf(tenant)));
  }

  @Override
  public Set<String> full(int tenant, Collection<String> kinds, boolean atOnce) {
    if (!areBounded() && breakerRules.isEmpty()) {
      return Set.of();
    }
    if (atOnce && held.slots.isFull(tenant, caps.wholeOf(tenant), true)) {
      return Set.copyOf(kinds);
    }
    Set<String> full = new HashSet<>(held.breakers.full(tenant, kinds, breakerRules));
    for (String kind : caps.kindsOf(tenant)) {
      if (kinds.contains(kind) && held.slots.isFull(tenant, caps.ofKind(tenant, kind), atOnce)) {
        full.add(kind);
      }
    }
    for (String kind : rates.kindsOf(tenant)) {
      if (kinds.contains(kind) && held.starts.isFull(tenant, rates.ofKind(tenant, kind))) {
        full.add(kind);
      }
    }
    return full;
  }

  @Override
  public @Nullable Guard guard(int tenant, String kind) {
    if (breakerRules.isEmpty()) {
      return null;
    }
    return guards
        .computeIfAbsent(
            new ScopeLimits.Key(tenant, kind), unused -> guardOf(breakerRules.keysOf(tenant, kind)))
        .orElse(null);
  }

  private Optional<Guard> guardOf(List<ScopeLimits.Key> keys) {
    return keys.isEmpty() ? Optional.empty() : Optional.of(held.breakers.guard(keys));
  }
}
