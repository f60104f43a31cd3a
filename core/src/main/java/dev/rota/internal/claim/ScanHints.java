package dev.rota.internal.claim;

import dev.rota.internal.sql.TenantTables;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * In which block of each slot of a ring the next claim starts to look. Without it every claim walks
 * over the dead rows in front of the live ones.
 *
 * <p>A hint only: a pooled producer may insert into block 0 of a drained table. Hence a slot with
 * work is looked at from block 0 about once a second, and always before it is called empty. Used by
 * one transaction at a time, that which holds the tenant's gate; the monitor only makes it visible.
 */
final class ScanHints {

  private static final long RESCAN_NANOS = 1_000_000_000L;
  private static final long STRAGGLERS = 4;
  private static final int CLAIMED_FOR_A_BLOCK = 40;

  /** Dead rows of fewer blocks cost a claim less than others may wait behind a hint. */
  private static final long WORTH_A_HINT = 64;

  private final LongSupplier nanoTime;
  private final long[] blocks = new long[TenantTables.SLOTS];
  private final int[] claimedSince = new int[TenantTables.SLOTS];
  private final long[] rescannedAt = new long[TenantTables.SLOTS];
  private final boolean[] hadMore = new boolean[TenantTables.SLOTS];
  private final boolean[] measured = new boolean[TenantTables.SLOTS];
  private int currentSlot = -1;

  ScanHints(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    Arrays.fill(rescannedAt, nanoTime.getAsLong() - RESCAN_NANOS);
  }

  /** A slot that became current was truncated just before: its rows begin at block 0 again. */
  synchronized void follow(int current) {
    if (current != currentSlot) {
      currentSlot = current;
      blocks[inRing(current)] = 0;
      Arrays.fill(measured, false);
    }
  }

  synchronized long start(int slot) {
    return blocks[inRing(slot)];
  }

  synchronized boolean rescanIsDue(int slot) {
    return nanoTime.getAsLong() - rescannedAt[inRing(slot)] >= RESCAN_NANOS;
  }

  /**
   * Tasks were claimed up to a block. Some blocks before it are looked at again: while one producer
   * fills a block, the commit of another may show tasks in an earlier one. To walk over the dead
   * rows of a block takes about as long as to claim one task, so that what is looked at again grows
   * with what was claimed; but a claim that is caught up with the producers looks at once.
   *
   * @param more whether there were as many tasks as were asked for
   */
  synchronized void advance(int slot, long block, int claimed, boolean more) {
    int place = inRing(slot);
    claimedSince[place] += claimed;
    long again = claimedSince[place] / CLAIMED_FOR_A_BLOCK;
    if (more && again < STRAGGLERS) {
      blocks[place] = block;
    } else {
      again = Math.max(again, STRAGGLERS);
      claimedSince[place] = 0;
      blocks[place] = block <= 2 * again ? 0 : block - again;
    }
  }

  /**
   * Whether to tell the length of a slot in which nothing was found, by {@link #endsAt}: all its
   * rows may be dead, and no claim of ours has left a hint. Once for each slot and rotation. Not of
   * the current one, in which bulks that are under way would stand before its end.
   */
  synchronized boolean needsLength(int slot) {
    int place = inRing(slot);
    return slot != currentSlot && blocks[place] == 0 && !measured[place];
  }

  /** A slot in which nothing was found has so many blocks. */
  synchronized void endsAt(int slot, long length) {
    int place = inRing(slot);
    measured[place] = true;
    if (length >= WORTH_A_HINT) {
      blocks[place] = length - STRAGGLERS;
    }
  }

  /** A claim has looked, and took as many tasks as it asked for, or all that it saw. */
  synchronized void looked(int slot, boolean more) {
    hadMore[inRing(slot)] = more;
  }

  /** Whether the last look left something, or is long ago. */
  synchronized boolean mayHoldMore(int slot) {
    return hadMore[inRing(slot)] || rescanIsDue(slot);
  }

  synchronized void rescanned(int slot) {
    rescannedAt[inRing(slot)] = nanoTime.getAsLong();
  }

  /** Slots are counted over all lanes of a tenant. */
  private static int inRing(int slot) {
    return slot % TenantTables.SLOTS;
  }

  /** After a transaction that came to nothing. */
  synchronized void forget() {
    Arrays.fill(blocks, 0);
    Arrays.fill(hadMore, true);
    Arrays.fill(measured, false);
  }
}
