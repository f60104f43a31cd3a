package dev.rota.daemon.internal.retention;

import java.util.Collection;

/** The identity of a segment of history. */
public record SegmentId(int tenant, int seq) {

  /** The tenants of several segments, as a bind. */
  public static int[] tenants(Collection<SegmentId> segments) {
    return segments.stream().mapToInt(SegmentId::tenant).toArray();
  }

  /** The numbers of several segments, as a bind. */
  public static int[] seqs(Collection<SegmentId> segments) {
    return segments.stream().mapToInt(SegmentId::seq).toArray();
  }
}
