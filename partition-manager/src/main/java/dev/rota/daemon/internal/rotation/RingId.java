package dev.rota.daemon.internal.rotation;

/**
 * Which ring is meant.
 *
 * @param tenant the number of its tenant
 * @param lane the number of its lane; what is there once for a tenant goes by lane 0
 */
public record RingId(int tenant, int lane) {

  /** What a note in the tenant's row begins with, so that it is known of which ring it is. */
  String prefix() {
    return lane == 0 ? "" : "lane " + lane + ": ";
  }
}
