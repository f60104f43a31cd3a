package dev.rota.internal.claim;

import dev.rota.internal.sql.TenantTables;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Remembers the block of each slot of a ring at which the next claim starts its scan. Without it
 * every claim walks over the dead rows in front of the live ones.
 *
 * <p>It is only a hint: a pooled producer may insert into block 0 of a drained table. Hence a slot
 * with work is scanned from block 0 about once a second, and always before it is called empty. Used
 * by one transaction at a time, the one that holds the tenant's gate; the monitor only provides
 * visibility.
 */
final class ScanHints {

  private static final long RESCAN_NANOS = 1_000_000_000L;
  private static final long STRAGGLERS = 4;
  private static final int CLAIMED_FOR_A_BLOCK = 40;

  /**
   * The least number of blocks for a hint. Dead rows of fewer blocks cost a claim less than the
   * delay of a task that waits before a hint.
   */
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

  /**
   * Resets a slot that became current: it was truncated just before, so its rows begin at block 0
   * again.
   */
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
   * Moves the hint after tasks were claimed up to a block. The next claim rescans some blocks
   * before it. While one producer fills a block, the commit of another may make tasks visible in an
   * earlier one. Walking over the dead rows of a block takes about as long as claiming one task. So
   * the number of rescanned blocks grows with the number of claimed tasks. A claim that has caught
   * up with the producers rescans at once.
   *
   * @param more whether the claim got as many tasks as requested
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
   * Whether {@link #endsAt} needs the length of a slot in which nothing was found. All its rows may
   * be dead, and no claim of this process has left a hint. True once for each slot and rotation.
   * False for the current slot: bulk inserts in progress would be before its end.
   */
  synchronized boolean needsLength(int slot) {
    int place = inRing(slot);
    return slot != currentSlot && blocks[place] == 0 && !measured[place];
  }

  /** Sets the hint of a slot in which nothing was found to its end. */
  synchronized void endsAt(int slot, long length) {
    int place = inRing(slot);
    measured[place] = true;
    if (length >= WORTH_A_HINT) {
      blocks[place] = length - STRAGGLERS;
    }
  }

  /** Records a scan, and whether it took as many tasks as requested, or all that were visible. */
  synchronized void looked(int slot, boolean more) {
    hadMore[inRing(slot)] = more;
  }

  /** Whether the last scan left tasks, or is long ago. */
  synchronized boolean mayHoldMore(int slot) {
    return hadMore[inRing(slot)] || rescanIsDue(slot);
  }

  synchronized void rescanned(int slot) {
    rescannedAt[inRing(slot)] = nanoTime.getAsLong();
  }

  /** The index of a slot in its ring; slots are counted over all lanes of a tenant. */
  private static int inRing(int slot) {
    return slot % TenantTables.SLOTS;
  }

  /** Forgets the hints after a transaction that was rolled back. */
  synchronized void forget() {
    Arrays.fill(blocks, 0);
    Arrays.fill(hadMore, true);
    Arrays.fill(measured, false);
  }
}
