package dev.rota.crash.campaign.audit;

/**
 * A period whose acknowledgements are void: the server that gave them is gone, and its successor
 * did not get all of them.
 *
 * @param from its begin, in milliseconds since 1970: earlier acknowledgements have survived
 * @param to the time at which the successor ran, and had acknowledged nothing yet
 */
public record LostPast(long from, long to) {

  /** Its name as the cause of a repeated run. */
  static final String CAUSE = "LOST_PAST";

  boolean has(long time) {
    return from <= time && time <= to;
  }

  /** Whether the outcome of a run may have been lost before another one began. */
  boolean parts(long begun, long again) {
    return begun < from && again > to;
  }
}
