package dev.rota.internal.claim;

import java.util.Collection;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Rules for a worker that serves some tenants: nothing of others may begin. Immutable.
 *
 * @param all the rules without regard to the worker
 * @param served whether it serves a tenant
 */
record NarrowedRules(TaskRules all, IntPredicate served) implements TaskRules {

  @Override
  public boolean serves(int tenant) {
    return all.serves(tenant) && served.test(tenant);
  }

  @Override
  public Pauses pauses(int tenant) {
    return serves(tenant) ? all.pauses(tenant) : Pauses.ALL;
  }

  @Override
  public String pool(int tenant) {
    return all.pool(tenant);
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
