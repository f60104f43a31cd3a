package dev.rota.daemon.internal.retention;

import java.util.Collection;

/** Names a segment of history. */
public record SegmentId(int tenant, int seq) {

  /** The tenants of several, as a value of a statement. */
  public static int[] tenants(Collection<SegmentId> segments) {
    return segments.stream().mapToInt(SegmentId::tenant).toArray();
  }

  /** Their numbers, as a value of a statement. */
  public static int[] seqs(Collection<SegmentId> segments) {
    return segments.stream().mapToInt(SegmentId::seq).toArray();
  }
}
