package dev.rota.internal.claim;

import dev.rota.internal.tenant.TenantRef;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Remembers for each tenant where the rows of the claimer's kinds begin, and how many can be
 * claimed at once. Thread-safe.
 */
final class ClaimMemory {

  private final double lowerLanesShare;
  private final LongSupplier nanoTime;
  // A hint is about the remaining rows of these kinds, so it belongs to one set of kinds.
  private final Map<Integer, LaneHints> hints = new ConcurrentHashMap<>();
  private final Map<Integer, ClaimBound> bounds = new ConcurrentHashMap<>();

  ClaimMemory(double lowerLanesShare, LongSupplier nanoTime) {
    this.lowerLanesShare = lowerLanesShare;
    this.nanoTime = nanoTime;
  }

  LaneHints hintsOf(TenantRef tenant) {
    return hints.computeIfAbsent(
        tenant.number(), unused -> new LaneHints(lowerLanesShare, nanoTime));
  }

  ClaimBound boundOf(TenantRef tenant) {
    return bounds.computeIfAbsent(tenant.number(), unused -> new ClaimBound());
  }

  /** Limits the requests to as many tasks as can be claimed at once. */
  List<ClaimRequest> bounded(List<ClaimRequest> requests) {
    return requests.stream()
        .map(request -> request.upTo(boundOf(request.tenant()).rows(request.max())))
        .toList();
  }

  void succeeded(List<TenantClaim> visits) {
    visits.forEach(visit -> boundOf(visit.tenant()).succeeded(visit.hasLarge(), visit.hasAny()));
  }

  /** Discards the effects of a transaction that did not commit. */
  void undo(List<TenantClaim> visits) {
    for (TenantClaim visit : visits) {
      visit.undo();
      boundOf(visit.tenant()).failedIn(visit.lastSlot());
    }
  }

  /**
   * Bounds the claims from one tenant. After a large payload it bounds the bytes of payloads; after
   * claims that failed because of the rows it reduces their number. Successful claims relax the
   * bounds. Thread-safe.
   */
  static final class ClaimBound {

    /** The number of claims in a row without a large payload after which none is expected. */
    private static final int LIGHT_ENOUGH = 16;

    private int rows = Integer.MAX_VALUE;
    private int failedSlot = -1;
    private int weighed;

    /** How many rows to claim for a wanted number. */
    synchronized int rows(int wanted) {
      return Math.min(rows, wanted);
    }

    /** Whether to sum the bytes of the rows. */
    synchronized boolean isWeighed() {
      return weighed > 0;
    }

    /** Records a large payload. */
    synchronized void weigh() {
      weighed = LIGHT_ENOUGH;
    }

    /** The slot whose rows made the last claim fail; negative if the last claim succeeded. */
    synchronized int failedSlot() {
      return failedSlot;
    }

    synchronized void failedIn(int slot) {
      failedSlot = slot;
    }

    /**
     * Halves the number of rows after a failed claim of this many; false if it is already the
     * least.
     */
    synchronized boolean halve(int tried) {
      if (tried <= 1) {
        return false;
      }
      reduce(tried);
      return true;
    }

    /** Reduces a claim that did not fit into memory together with those of other tenants. */
    synchronized void lighten(int tried) {
      weigh();
      reduce(tried);
    }

    private void reduce(int tried) {
      rows = Math.max(1, tried / 2);
    }

    /**
     * Reduces a claim that alone did not fit into memory: first to a weight, then to one row, since
     * by weight only its first row can be too large. False if it is already the least.
     */
    synchronized boolean isolate(int tried) {
      boolean wasWeighed = isWeighed();
      weigh();
      if (!wasWeighed) {
        return true;
      }
      rows = 1;
      return tried > 1;
    }

    /** Records a successful claim. */
    synchronized void succeeded(boolean foundLarge, boolean foundAny) {
      rows = rows > Integer.MAX_VALUE / 2 ? Integer.MAX_VALUE : 2 * rows;
      if (foundLarge) {
        weigh();
      } else if (foundAny && weighed > 0) {
        weighed--;
      }
    }
  }
}
