package dev.rota.internal.claim;

import dev.rota.internal.sql.TenantTables;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers for one claimer and tenant where to scan in each ring, and the share that its lower
 * lanes are owed. Thread-safe.
 */
final class LaneHints {

  private final double part;
  private @Nullable LowPriorityShare lowerShare;
  private final LongSupplier nanoTime;
  private ScanHints[] rings;

  /**
   * Creates hints without any knowledge.
   *
   * @param part the part of the claims that lower lanes are owed
   * @param nanoTime the clock that decides when a ring is scanned from its start again
   */
  LaneHints(double part, LongSupplier nanoTime) {
    this.part = part;
    this.nanoTime = nanoTime;
    this.rings = new ScanHints[] {new ScanHints(nanoTime)};
  }

  /** The hints for the ring of a slot. */
  synchronized ScanHints ringOf(int slot) {
    int lane = slot / TenantTables.SLOTS;
    int known = rings.length;
    if (lane >= known) {
      rings = Arrays.copyOf(rings, lane + 1);
      for (int i = known; i <= lane; i++) {
        rings[i] = new ScanHints(nanoTime);
      }
    }
    return rings[lane];
  }

  /** The share of the lower lanes, if the tenant has several lanes. */
  synchronized LowPriorityShare lowerShare() {
    if (lowerShare == null) {
      lowerShare = new LowPriorityShare(part);
    }
    return lowerShare;
  }

  /** Forgets the hints after a transaction that was rolled back. */
  synchronized void forget() {
    for (ScanHints ring : rings) {
      ring.forget();
    }
  }
}
