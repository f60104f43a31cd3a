package dev.rota.internal.claim;

import dev.rota.internal.tenant.PriorityLanes;
import dev.rota.internal.tenant.PriorityLanes.Lane;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What low lanes get of one tenant's claims, so that they never starve: a part of every claim is
 * owed to those that would get nothing else, and they take turns. What none of them had a task for
 * is owed no more. Used by one transaction at a time, that which holds the tenant's gate; the
 * monitor only makes it visible.
 */
final class LowPriorityShare {

  /** A lane that had nothing is not asked at every claim, since a look costs a statement a slot. */
  private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final double ROUNDING = 1e-9;

  private final double part;
  private final long[] emptyAt = new long[PriorityLanes.MOST];
  private double owed;
  private int turn;

  /**
   * Nothing is owed yet.
   *
   * @param part of each task that is claimed; 0 to 1
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
   * The lanes to offer them to, in this order.
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

  /** A claim got all it asked for, and left some behind, of which lower lanes had so many. */
  synchronized void claimed(int tasks, int ofLower) {
    owed += part * tasks - ofLower;
  }

  /** All that the lower lanes had was claimed. */
  synchronized void nothingIsOwed() {
    owed = 0;
  }
}
