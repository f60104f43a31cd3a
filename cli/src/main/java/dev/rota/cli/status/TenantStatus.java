package dev.rota.cli.status;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where one tenant stands.
 *
 * @param identity who it is
 * @param depth what it has to do
 * @param rotation how its ring turns
 */
record TenantStatus(Identity identity, Depth depth, Rotation rotation) {

  /**
   * Who it is.
   *
   * @param number the number in the names of its tables
   * @param name the name for people
   * @param closed whether it refuses new tasks
   */
  record Identity(int number, String name, boolean closed) {}

  /**
   * What it has to do.
   *
   * @param pending tasks in the ring
   * @param waiting tasks that wait for their time
   * @param running tasks in open batches
   * @param oldestSeconds the age of the oldest task in the ring
   * @param exact whether pending and waiting were counted, not estimated from statistics
   */
  record Depth(
      long pending, long waiting, long running, @Nullable Double oldestSeconds, boolean exact) {

    static final Depth NOTHING = new Depth(0, 0, 0, null, true);

    Depth withRunning(long tasks) {
      return new Depth(pending, waiting, tasks, oldestSeconds, exact);
    }
  }

  /**
   * How its ring turns.
   *
   * @param last when it was switched last; null before the first time
   * @param count how often it was switched
   * @param postponed how often a switch was put off
   * @param reason why the last one that was put off was
   */
  record Rotation(@Nullable Instant last, long count, long postponed, @Nullable String reason) {}

  TenantStatus withDepth(Depth other) {
    return new TenantStatus(identity, other, rotation);
  }

  Map<String, @Nullable Object> fields() {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("name", identity.name());
    fields.put("number", identity.number());
    fields.put("closed", identity.closed());
    fields.put("pending", depth.pending());
    fields.put("waiting", depth.waiting());
    fields.put("running", depth.running());
    fields.put("oldestPendingSeconds", depth.oldestSeconds());
    fields.put("exact", depth.exact());
    fields.put("lastRotation", rotation.last() == null ? null : rotation.last().toString());
    fields.put("rotations", rotation.count());
    fields.put("rotationsPostponed", rotation.postponed());
    fields.put("postponedReason", rotation.reason());
    return fields;
  }
}
