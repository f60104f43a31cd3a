package dev.rota.daemon.internal.rotation;

import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Tracks postponed rotations: the time of the next try, and a note in the registry, once in each
 * period however often it is tried. Used by one thread.
 */
final class Postponements {

  private static final Sql POSTPONE_ROTATION = Sql.named("postpone_rotation");

  private final LeaderSession leader;
  private final RegistryTables tables;
  private final DaemonCounters counters;
  private final Duration retryPause;
  private final Map<RingId, Postponement> postponements = new HashMap<>();

  private record Postponement(long countedPeriod, long retryAt) {}

  Postponements(
      LeaderSession leader, RegistryTables tables, DaemonCounters counters, Duration period) {
    this.leader = leader;
    this.tables = tables;
    this.counters = counters;
    this.retryPause = Backoff.part(period, 10, Duration.ofMillis(100), Duration.ofSeconds(30));
  }

  boolean has(RingId ring) {
    return postponements.containsKey(ring);
  }

  boolean mayTry(RingId ring) {
    Postponement postponement = postponements.get(ring);
    return postponement == null || postponement.retryAt - System.nanoTime() <= 0;
  }

  /** Forgets the rings that are no longer due. */
  void retain(Set<RingId> due) {
    postponements.keySet().retainAll(due);
  }

  void ended(RingId ring) {
    postponements.remove(ring);
  }

  /** Postpones a ring. */
  void add(RingStatus status, String reason) throws SQLException {
    Postponement before = postponements.get(status.id());
    boolean counted = before != null && before.countedPeriod == status.period();
    postponements.put(
        status.id(),
        new Postponement(
            status.period(), System.nanoTime() + Backoff.jittered(retryPause.toNanos())));
    if (!counted) {
      note(status, reason);
      counters.postponed.incrementAndGet();
    }
  }

  private void note(RingStatus status, String reason) throws SQLException {
    leader.transaction(
        "note that the rotation of " + status.label() + " is postponed",
        session ->
            session.run(
                BoundStatement.update(
                    POSTPONE_ROTATION.call(),
                    POSTPONE_ROTATION.on("tenants", tables.tenants()),
                    status.id().prefix() + reason,
                    status.number())));
  }
}
