package dev.rota.crash.points;

/**
 * A round trip of a scenario.
 *
 * @param calls the names of the calls that travel together
 * @param occurrence the how-manieth of these names it is, from 1
 */
record Point(String calls, int occurrence) {

  boolean commits() {
    return calls.contains("commit");
  }

  @Override
  public String toString() {
    return "[" + calls + "] number " + occurrence;
  }
}
