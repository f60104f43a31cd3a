package dev.rota.internal.claim;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import dev.rota.internal.tenant.TenantRef.PriorityLanes.Lane;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Remembers for each tenant where the rows of the claimer's kinds begin, and how many can be
 * claimed at once. Thread-safe.
 */
final class ClaimMemory {

  private final double lowerLanesShare;
  private final LongSupplier nanoTime;
  // A hint is about the remaining rows of these kinds, so it belongs to one set of kinds.
  // Weak: a tenant that no part of the process holds any more is forgotten.
  private final Cache<TenantRef, LaneHints> hints = Caffeine.newBuilder().weakKeys().build();
  private final Cache<TenantRef, ClaimBound> bounds = Caffeine.newBuilder().weakKeys().build();

  ClaimMemory(double lowerLanesShare, LongSupplier nanoTime) {
    this.lowerLanesShare = lowerLanesShare;
    this.nanoTime = nanoTime;
  }

  LaneHints hintsOf(TenantRef tenant) {
    return hints.get(tenant, unused -> new LaneHints(lowerLanesShare, nanoTime));
  }

  ClaimBound boundOf(TenantRef tenant) {
    return bounds.get(tenant, unused -> new ClaimBound());
  }

  /** The number of tenants of which it knows hints or bounds. */
  long size() {
    hints.cleanUp();
    bounds.cleanUp();
    return Math.max(hints.estimatedSize(), bounds.estimatedSize());
  }

  /** Limits the requests to as many tasks as can be claimed at once. */
  List<ClaimRequest> bounded(List<ClaimRequest> requests) {
    return requests.stream()
        .map(request -> request.upTo(boundOf(request.tenant()).rows(request.max())))
        .toList();
  }

  void succeeded(List<TenantClaim> visits) {
    visits.forEach(visit -> boundOf(visit.tenant()).succeeded(visit.hasLarge(), visit.tookAny()));
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

  /**
   * Remembers for one claimer and tenant where to scan in each ring, and the share that its lower
   * lanes are owed. Thread-safe.
   */
  static final class LaneHints {

    private static final int MOST_SETS = 16;

    private final double part;
    private @Nullable LowPriorityShare lowerShare;
    private final LongSupplier nanoTime;
    private ScanHints[] rings;
    private final Map<Set<String>, ScanHints[]> others = new LinkedHashMap<>();
    private Set<String> without = Set.of();

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

    /**
     * These hints, for claims that leave some kinds out. A claim that leaves out others knows
     * nothing of the rows before a hint. A kind at its cap comes and goes many times a second, so
     * the hints of some sets are kept.
     */
    synchronized LaneHints ofClaimsWithout(Set<String> kinds) {
      if (!kinds.equals(without)) {
        ScanHints[] known = others.remove(kinds);
        if (others.size() >= MOST_SETS) {
          others.remove(others.keySet().iterator().next());
        }
        others.put(without, rings);
        without = Set.copyOf(kinds);
        rings = known == null ? new ScanHints[] {new ScanHints(nanoTime)} : known;
      }
      return this;
    }

    /** Forgets the hints after a transaction that was rolled back. */
    synchronized void forget() {
      others.clear();
      for (ScanHints ring : rings) {
        ring.forget();
      }
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
