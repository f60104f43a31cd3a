package dev.rota.internal.settle;

import dev.rota.control.internal.CancelRequests;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What was written when batches were settled. Filled by the settler, then never changed. */
public final class SettleReport {

  private final Set<Long> owned = new HashSet<>();
  private final IdentityHashMap<Outcome, Outcome> replaced = new IdentityHashMap<>();

  SettleReport() {}

  /** The batches whose outcomes are written; the others had lost their lease. */
  public Set<Long> owned() {
    return Collections.unmodifiableSet(owned);
  }

  /** What was written instead of an outcome; the same, unless somebody asked for the task's end. */
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

  /** The settlement with the outcomes that tasks have which were asked to end. */
  Settlement heed(Settlement settlement, Map<Long, String> reasons) {
    List<Outcome> outcomes = new ArrayList<>(settlement.outcomes().size());
    for (Outcome outcome : settlement.outcomes()) {
      String reason = CancelRequests.concern(outcome) ? reasons.get(outcome.task().id()) : null;
      if (reason != null) {
        replaced.put(outcome, outcome.cancelledFor(reason));
      }
      outcomes.add(written(outcome));
    }
    return new Settlement(settlement.batch(), outcomes, settlement.closing());
  }
}
