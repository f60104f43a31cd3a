package dev.rota.internal.settle;

import java.util.List;
import java.util.function.Predicate;

/**
 * Outcomes of one batch to be written together.
 *
 * @param batch the batch
 * @param outcomes the exceptions; when the batch stays open, also the tasks done so far
 * @param closing whether the batch ends with it: every task without an outcome is done then
 */
public record Settlement(ClaimedBatch batch, List<Outcome> outcomes, boolean closing) {

  /** Whether the batch ends, and all its tasks are done without another word about any of them. */
  boolean succeeded() {
    return closing && outcomes.isEmpty();
  }

  /** The ids of the batches of some settlements, in the order in which transactions lock them. */
  public static long[] batches(List<Settlement> settlements, Predicate<Settlement> which) {
    return settlements.stream()
        .filter(which)
        .mapToLong(settlement -> settlement.batch().id())
        .sorted()
        .toArray();
  }
}
