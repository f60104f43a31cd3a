package dev.rota.internal;

import dev.rota.internal.db.StateCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The marked tasks that end in one transaction, for {@link EndEffects}. Tasks without marks are not
 * collected, so that they cost nothing. Used by one thread.
 */
final class Endings {

  // In one order in all transactions, or two of them could wait for each other.
  private final Map<Integer, List<Ending>> byTenant = new TreeMap<>();

  /** Takes those outcomes of a batch that end marked tasks for good. */
  Endings add(List<Outcome> outcomes) {
    for (Outcome outcome : outcomes) {
      if (outcome.task().isMarked() && outcome.isFinal()) {
        add(outcome.task(), outcome.state());
      }
    }
    return this;
  }

  /** Takes the marked ones among tasks that count as done from their claim on. */
  Endings addDone(List<ClaimedTask> tasks) {
    for (ClaimedTask task : tasks) {
      if (task.isMarked()) {
        add(task, StateCode.DONE);
      }
    }
    return this;
  }

  private void add(ClaimedTask task, StateCode state) {
    add(task.handle(), new Ending(task.id(), task.key(), task.traits(), state, task.run()));
  }

  Endings add(TenantHandle tenant, Ending ending) {
    byTenant.computeIfAbsent(tenant.number(), unused -> new ArrayList<>()).add(ending);
    return this;
  }

  /** By ascending number of the tenant. */
  Map<Integer, List<Ending>> byTenant() {
    return byTenant;
  }
}
