package dev.rota.internal.settle;

import dev.rota.internal.tenant.TenantRef;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The tasks of one claim of one tenant.
 *
 * @param tenant the tenant
 * @param row the location of the batch
 * @param tasks the tasks, in the order of the ring
 */
public record ClaimedBatch(TenantRef tenant, BatchLocation row, List<ClaimedTask> tasks) {

  public long id() {
    return row.id();
  }

  /**
   * Outcomes of one batch to be written together.
   *
   * @param batch the batch
   * @param outcomes the exceptions; when the batch stays open, also the tasks done so far
   * @param closing whether the batch ends with it: every task without an outcome is done then
   */
  public record Settlement(ClaimedBatch batch, List<Outcome> outcomes, boolean closing) {

    /**
     * Whether the batch ends, and all its tasks are done without another word about any of them.
     */
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

  /**
   * The outcomes that were written when batches were settled. Filled by the settler, then never
   * changed.
   */
  public static final class SettleReport {

    private final Set<Long> owned = new HashSet<>();
    private final IdentityHashMap<Outcome, Outcome> replaced = new IdentityHashMap<>();

    SettleReport() {}

    /** The batches whose outcomes are written; the others had lost their lease. */
    public Set<Long> owned() {
      return Collections.unmodifiableSet(owned);
    }

    /**
     * Returns the outcome that was written for a reported one; the same, unless an extension
     * replaced it.
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
}
