package dev.rota.daemon.internal.rotation;

/**
 * The identity of a ring.
 *
 * @param tenant the number of its tenant
 * @param lane the number of its lane; actions for the whole tenant use lane 0
 */
public record RingId(int tenant, int lane) {

  /** The prefix of a note in the tenant's row, which identifies its ring. */
  String prefix() {
    return lane == 0 ? "" : "lane " + lane + ": ";
  }
}
