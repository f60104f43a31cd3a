package dev.rota.internal.claim;

import dev.rota.internal.sql.TenantTables;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What one claimer remembers of the lanes of one tenant: where to look in each ring, and what the
 * lower ones are owed. Thread-safe.
 */
final class LaneHints {

  private final double part;
  private @Nullable LowPriorityShare lowerShare;
  private final LongSupplier nanoTime;
  private ScanHints[] rings;

  /**
   * Nothing is known yet.
   *
   * @param part the part of the claims that is owed to lower lanes
   * @param nanoTime the clock by which a ring is looked at from its start again
   */
  LaneHints(double part, LongSupplier nanoTime) {
    this.part = part;
    this.nanoTime = nanoTime;
    this.rings = new ScanHints[] {new ScanHints(nanoTime)};
  }

  /** The hints about the ring of a slot. */
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

  /** Of a tenant that has several lanes. */
  synchronized LowPriorityShare lowerShare() {
    if (lowerShare == null) {
      lowerShare = new LowPriorityShare(part);
    }
    return lowerShare;
  }

  /** After a transaction that came to nothing. */
  synchronized void forget() {
    for (ScanHints ring : rings) {
      ring.forget();
    }
  }
}
