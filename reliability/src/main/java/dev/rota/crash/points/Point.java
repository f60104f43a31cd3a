package dev.rota.crash.points;

import java.util.Set;

/**
 * A round trip of a scenario.
 *
 * @param calls the names of the calls that travel together
 * @param occurrence the ordinal of this occurrence of these names, from 1
 */
record Point(String calls, int occurrence) {

  static final String SEPARATOR = ", ";

  /** The names one by one. */
  Set<String> names() {
    return Set.of(calls.split(SEPARATOR));
  }

  boolean commits() {
    return calls.contains("commit");
  }

  @Override
  public String toString() {
    return "[" + calls + "] number " + occurrence;
  }
}
