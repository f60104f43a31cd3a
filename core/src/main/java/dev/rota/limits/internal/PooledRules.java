package dev.rota.limits.internal;

import dev.rota.internal.claim.TaskRules;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rules for a worker of some pools: nothing of tenants in other pools may begin. Immutable.
 *
 * @param all the rules of its process
 * @param pools the pools that it serves
 */
record PooledRules(RuleSnapshot all, Set<String> pools) implements TaskRules {

  @Override
  public boolean serves(int tenant) {
    return pools.contains(all.pool(tenant));
  }

  @Override
  public Pauses pauses(int tenant) {
    return serves(tenant) ? all.pauses(tenant) : Pauses.ALL;
  }

  @Override
  public double weight(int tenant) {
    return all.weight(tenant);
  }

  @Override
  public int tier(int tenant) {
    return all.tier(tenant);
  }

  @Override
  public boolean areUneven() {
    return all.areUneven();
  }

  @Override
  public boolean areBounded() {
    return all.areBounded();
  }

  @Override
  public @Nullable Bound bound(int tenant, String kind) {
    return all.bound(tenant, kind);
  }

  @Override
  public int room(int tenant) {
    return all.room(tenant);
  }

  @Override
  public Set<String> full(int tenant, Collection<String> kinds, boolean atOnce) {
    return all.full(tenant, kinds, atOnce);
  }

  @Override
  public @Nullable Guard guard(int tenant, String kind) {
    return all.guard(tenant, kind);
  }
}
