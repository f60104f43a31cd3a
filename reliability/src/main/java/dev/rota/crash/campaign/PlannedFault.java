package dev.rota.crash.campaign;

/**
 * A step of a plan.
 *
 * @param number its number, counted from 1
 * @param kind the kind of fault
 * @param afterTasks how many tasks succeed between the beginning of the previous fault and this one
 * @param overlaps whether it begins before earlier ones are over
 * @param aim its victim and duration
 */
record PlannedFault(int number, FaultKind kind, int afterTasks, boolean overlaps, Aim aim) {

  /**
   * The victim and duration of a fault.
   *
   * @param victim selects a process, tenant or backend; any number
   * @param holdMillis its duration, if it has one
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
