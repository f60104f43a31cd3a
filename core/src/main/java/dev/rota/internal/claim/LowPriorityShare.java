package dev.rota.internal.claim;

import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import dev.rota.internal.tenant.TenantRef.PriorityLanes.Lane;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Computes the share of low lanes in one tenant's claims, so that they never starve. A part of
 * every claim is owed to lanes that would get nothing else, and they take turns. The debt ends when
 * none of them has a task for it. Used by one transaction at a time, the one that holds the
 * tenant's gate; the monitor only provides visibility.
 */
final class LowPriorityShare {

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
   * @param withHighest whether the highest of them that may have tasks is not one of the lower ones
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
