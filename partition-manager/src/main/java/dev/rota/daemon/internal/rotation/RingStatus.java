package dev.rota.daemon.internal.rotation;

import dev.rota.daemon.internal.leader.TenantCatalog;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;

/**
 * The status of a tenant's ring at the time of a survey.
 *
 * @param entry the tenant
 * @param period the number of the present period, counted from 1970
 * @param ring the ring
 * @param segment the tenant's open segment of history
 */
public record RingStatus(TenantCatalog.Entry entry, long period, Ring ring, Segment segment) {

  int number() {
    return entry.number();
  }

  public RingId id() {
    return new RingId(number(), PriorityLanes.of(ring.slot()));
  }

  /** Whether this is the ring that every tenant has. */
  public boolean isOfLane0() {
    return id().lane() == 0;
  }

  /** The name of the ring in messages. */
  String label() {
    String tenant = entry.tenant().label();
    PriorityLanes lanes = entry.tenant().state().lanes();
    return isOfLane0() ? tenant : "priority " + lanes.get(id().lane()).priority() + " of " + tenant;
  }

  /**
   * A ring.
   *
   * @param slot the current slot
   * @param bytes its size
   * @param periodOver whether a period ended since the last rotation
   */
  public record Ring(int slot, long bytes, boolean periodOver) {}

  /**
   * A segment that claims fill.
   *
   * @param seq its number
   * @param bytes its size
   * @param periodOver whether a period ended since it was opened
   * @param worthIt whether it is old or large enough to be sealed
   * @param overdue whether it is too old for the time for which its tenant keeps history
   */
  public record Segment(
      int seq, long bytes, boolean periodOver, boolean worthIt, boolean overdue) {}
}
