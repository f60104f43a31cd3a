package dev.rota.internal.settle;

import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.tenant.TenantRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The marked tasks that end in one transaction, for {@link TaskExtensions}. Tasks without marks are
 * not collected, so that they cost nothing. Used by one thread.
 */
public final class EndedTasks {

  // All transactions use one order, or two of them could wait for each other.
  private final Map<Integer, List<EndedTask>> byTenant = new TreeMap<>();

  /** Adds the outcomes of a batch that end marked tasks for good. */
  EndedTasks add(List<Outcome> outcomes) {
    for (Outcome outcome : outcomes) {
      if (outcome.task().isMarked() && outcome.isFinal()) {
        add(outcome.task(), outcome.state());
      }
    }
    return this;
  }

  /** Adds the marked tasks among those that count as done from their claim on. */
  public EndedTasks addDone(List<ClaimedTask> tasks) {
    for (ClaimedTask task : tasks) {
      if (task.isMarked()) {
        add(task, AttemptStateCode.DONE);
      }
    }
    return this;
  }

  private void add(ClaimedTask task, AttemptStateCode state) {
    add(
        task.handle(),
        new EndedTask(task.id(), task.key(), task.traits(), state, task.attachment()));
  }

  public EndedTasks add(TenantRef tenant, EndedTask ending) {
    byTenant.computeIfAbsent(tenant.number(), unused -> new ArrayList<>()).add(ending);
    return this;
  }

  /** The tasks by ascending number of the tenant. */
  Map<Integer, List<EndedTask>> byTenant() {
    return byTenant;
  }
}
