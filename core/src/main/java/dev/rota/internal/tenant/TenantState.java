package dev.rota.internal.tenant;

/**
 * A tenant's row of the registry, as last read. A stale one costs order or a repeated transaction,
 * never a task.
 *
 * @param number the number in the names of its tables
 * @param name the name for people
 * @param closed whether it refuses new tasks
 * @param lanes its rings, and the slots into which producers write
 * @param currentSegment the segment into which claims write
 */
public record TenantState(
    int number, String name, boolean closed, PriorityLanes lanes, int currentSegment) {

  /** The same after a ring was switched to a slot. */
  public TenantState pointingAt(int slot) {
    return new TenantState(number, name, closed, lanes.pointingAt(slot), currentSegment);
  }

  /** Returns a copy with another segment. */
  public TenantState writingTo(int segment) {
    return new TenantState(number, name, closed, lanes, segment);
  }

  /** Returns a copy with lanes that were known before: no lane is ever removed. */
  TenantState knowing(PriorityLanes known) {
    return known.count() <= lanes.count()
        ? this
        : new TenantState(number, name, closed, lanes.and(known), currentSegment);
  }
}
