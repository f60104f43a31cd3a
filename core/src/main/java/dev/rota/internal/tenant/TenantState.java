package dev.rota.internal.tenant;

/**
 * A tenant's row of the registry, as last seen. Being stale costs order or a repeated transaction,
 * never a task.
 *
 * @param number in the names of its tables
 * @param name for people
 * @param closed whether it refuses new tasks
 * @param lanes its rings, and where producers write
 * @param currentSegment where claims write
 */
public record TenantState(
    int number, String name, boolean closed, PriorityLanes lanes, int currentSegment) {

  /** The same after a ring was switched to a slot. */
  public TenantState pointingAt(int slot) {
    return new TenantState(number, name, closed, lanes.pointingAt(slot), currentSegment);
  }

  /** The same with another segment. */
  public TenantState writingTo(int segment) {
    return new TenantState(number, name, closed, lanes, segment);
  }

  /** The same with lanes that were known before: none ever goes. */
  TenantState knowing(PriorityLanes known) {
    return known.count() <= lanes.count()
        ? this
        : new TenantState(number, name, closed, lanes.and(known), currentSegment);
  }
}
