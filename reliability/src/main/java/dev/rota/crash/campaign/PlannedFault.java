package dev.rota.crash.campaign;

/**
 * A step of a plan.
 *
 * @param number which one, counted from 1
 * @param kind what goes wrong
 * @param afterTasks how many tasks succeed between the beginning of the fault before and this one
 * @param overlaps whether it begins although earlier ones are not over
 * @param aim whom it hits, and for how long
 */
record PlannedFault(int number, FaultKind kind, int afterTasks, boolean overlaps, Aim aim) {

  /**
   * Whom it hits and for how long.
   *
   * @param victim which process, tenant or backend; any number
   * @param holdMillis how long it lasts, if it lasts
   */
  record Aim(int victim, int holdMillis) {}

  @Override
  public String toString() {
    return "%d. %s after %d tasks%s, victim %d, %d ms"
        .formatted(
            number,
            kind,
            afterTasks,
            overlaps ? ", overlapping" : "",
            aim.victim(),
            aim.holdMillis());
  }
}
