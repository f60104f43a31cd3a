package dev.rota.internal.claim;

import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import dev.rota.internal.tenant.TenantRef.PriorityLanes.Lane;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
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

  /**
   * Remembers the block of each slot of a ring at which the next claim starts its scan. Without it
   * every claim walks over the dead rows in front of the live ones.
   *
   * <p>It is only a hint: a pooled producer may insert into block 0 of a drained table. Hence a
   * slot with work is scanned from block 0 about once a second, and always before it is called
   * empty. Used by one transaction at a time, the one that holds the tenant's gate; the monitor
   * only provides visibility.
   */
  static final class ScanHints {

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
     * before it. While one producer fills a block, the commit of another may make tasks visible in
     * an earlier one. Walking over the dead rows of a block takes about as long as claiming one
     * task. So the number of rescanned blocks grows with the number of claimed tasks. A claim that
     * has caught up with the producers rescans at once.
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
     * Whether {@link #endsAt} needs the length of a slot in which nothing was found. All its rows
     * may be dead, and no claim of this process has left a hint. True once for each slot and
     * rotation. False for the current slot: bulk inserts in progress would be before its end.
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

  /**
   * Computes the share of low lanes in one tenant's claims, so that they never starve. A part of
   * every claim is owed to lanes that would get nothing else, and they take turns. The debt ends
   * when none of them has a task for it. Used by one transaction at a time, the one that holds the
   * tenant's gate; the monitor only provides visibility.
   */
  static final class LowPriorityShare {

    /** How long an empty lane is skipped, since a scan costs a statement for each slot. */
    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final double ROUNDING = 1e-9;

    private final double part;
    private final long[] emptyAt = new long[PriorityLanes.MOST];
    private double owed;
    private int turn;

    /**
     * Creates a share without debt.
     *
     * @param part the share of each claimed task; 0 to 1
     */
    LowPriorityShare(double part) {
      this.part = part;
      Arrays.fill(emptyAt, System.nanoTime() - REST_NANOS);
    }

    /** How many tasks of a claim are offered to the lower lanes first. */
    synchronized int offer(int max) {
      return (int) Math.min(owed + part * max + ROUNDING, max);
    }

    /**
     * Returns the lanes that get the offer, in this order.
     *
     * @param lanes the highest priority first
     * @param withHighest whether the highest of them that may have tasks is not one of the lower
     *     ones
     */
    synchronized List<Lane> inTurn(List<Lane> lanes, boolean withHighest) {
      long now = System.nanoTime();
      List<Lane> filled =
          lanes.stream().filter(lane -> now - emptyAt[lane.number()] >= REST_NANOS).toList();
      List<Lane> lower =
          withHighest ? filled.subList(Math.min(1, filled.size()), filled.size()) : filled;
      if (lower.isEmpty()) {
        return lower;
      }
      int first = Math.floorMod(turn++, lower.size());
      return Stream.concat(
              lower.subList(first, lower.size()).stream(), lower.subList(0, first).stream())
          .toList();
    }

    synchronized void foundEmpty(int lane) {
      emptyAt[lane] = System.nanoTime();
    }

    /**
     * Records a claim that got all requested tasks and left more, with the number from lower lanes.
     */
    synchronized void claimed(int tasks, int ofLower) {
      owed += part * tasks - ofLower;
    }

    /** Records that all tasks of the lower lanes were claimed. */
    synchronized void nothingIsOwed() {
      owed = 0;
    }
  }
}
