package dev.rota.crash.campaign.audit;

/**
 * A time whose acknowledgements are void: the server that gave them is gone, and the one that
 * followed did not know of all of them.
 *
 * @param from when it began, in milliseconds since 1970: what was acknowledged before has survived
 * @param to when the server that followed was there, and had acknowledged nothing yet
 */
public record LostPast(long from, long to) {

  /** What it is called as the cause of a repeated run. */
  static final String CAUSE = "LOST_PAST";

  boolean has(long time) {
    return from <= time && time <= to;
  }

  /** Whether what came of a run may have been lost before another one began. */
  boolean parts(long begun, long again) {
    return begun < from && again > to;
  }
}
