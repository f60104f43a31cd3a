package dev.rota.internal;

import dev.rota.internal.db.TenantTables;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What one claimer remembers of the lanes of one tenant: where to look in each ring, and what the
 * lower ones are owed. Thread-safe.
 */
final class LaneHints {

  private final double part;
  private @Nullable LowerShare lowerShare;
  private SlotHints[] rings = {new SlotHints()};

  /**
   * Nothing is known yet.
   *
   * @param part the part of the claims that is owed to lower lanes
   */
  LaneHints(double part) {
    this.part = part;
  }

  /** The hints about the ring of a slot. */
  synchronized SlotHints ringOf(int slot) {
    int lane = slot / TenantTables.SLOTS;
    int known = rings.length;
    if (lane >= known) {
      rings = Arrays.copyOf(rings, lane + 1);
      for (int i = known; i <= lane; i++) {
        rings[i] = new SlotHints();
      }
    }
    return rings[lane];
  }

  /** Of a tenant that has several lanes. */
  synchronized LowerShare lowerShare() {
    if (lowerShare == null) {
      lowerShare = new LowerShare(part);
    }
    return lowerShare;
  }

  /** After a transaction that came to nothing. */
  synchronized void forget() {
    for (SlotHints ring : rings) {
      ring.forget();
    }
  }
}
