package dev.rota.internal.settle;

import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The outcomes that were written when batches were settled. Filled by the settler, then never
 * changed.
 */
public final class SettleReport {

  private final Set<Long> owned = new HashSet<>();
  private final IdentityHashMap<Outcome, Outcome> replaced = new IdentityHashMap<>();

  SettleReport() {}

  /** The batches whose outcomes are written; the others had lost their lease. */
  public Set<Long> owned() {
    return Collections.unmodifiableSet(owned);
  }

  /**
   * Returns the outcome that was written for a reported one; the same, unless an extension replaced
   * it.
   */
  public Outcome written(Outcome reported) {
    return replaced.getOrDefault(reported, reported);
  }

  void addOwned(Collection<Long> batches) {
    owned.addAll(batches);
  }

  void add(SettleReport other) {
    owned.addAll(other.owned);
    replaced.putAll(other.replaced);
  }

  /** Records the replacements of some outcomes. */
  void replace(Map<Outcome, Outcome> replacements) {
    replacements.forEach(replaced::putIfAbsent);
  }

  /** Returns the settlements with the outcomes to write. */
  List<Settlement> written(List<Settlement> settlements) {
    return replaced.isEmpty() ? settlements : settlements.stream().map(this::written).toList();
  }

  private Settlement written(Settlement settlement) {
    List<Outcome> outcomes = settlement.outcomes().stream().map(this::written).toList();
    return new Settlement(settlement.batch(), outcomes, settlement.closing());
  }
}
