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
}
