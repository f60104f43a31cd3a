package dev.rota.partition.internal;

import dev.rota.internal.db.Call;
import dev.rota.internal.db.RotaTables;
import dev.rota.internal.db.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The rotations that were put off: when to try again, and a note in the registry, once in each
 * period however often it is tried. Used by one thread.
 */
final class Postponements {

  private static final Sql POSTPONE_ROTATION = Sql.named("postpone_rotation");

  private final Mandate mandate;
  private final RotaTables tables;
  private final Tally tally;
  private final Duration retryPause;
  private final Map<RingId, Postponement> postponements = new HashMap<>();

  private record Postponement(long countedPeriod, long retryAt) {}

  Postponements(Mandate mandate, RotaTables tables, Tally tally, Duration period) {
    this.mandate = mandate;
    this.tables = tables;
    this.tally = tally;
    this.retryPause = Pauses.part(period, 10, Duration.ofMillis(100), Duration.ofSeconds(30));
  }

  boolean has(RingId ring) {
    return postponements.containsKey(ring);
  }

  boolean mayTry(RingId ring) {
    Postponement postponement = postponements.get(ring);
    return postponement == null || postponement.retryAt - System.nanoTime() <= 0;
  }

  /** Forgets the rings that are not due any more. */
  void retain(Set<RingId> due) {
    postponements.keySet().retainAll(due);
  }

  void ended(RingId ring) {
    postponements.remove(ring);
  }

  /** Puts off. */
  void add(Standing standing, String reason) throws SQLException {
    Postponement before = postponements.get(standing.id());
    boolean counted = before != null && before.countedPeriod == standing.period();
    postponements.put(
        standing.id(),
        new Postponement(
            standing.period(), System.nanoTime() + Pauses.jittered(retryPause.toNanos())));
    if (!counted) {
      note(standing, reason);
      tally.postponed.incrementAndGet();
    }
  }

  private void note(Standing standing, String reason) throws SQLException {
    mandate.transaction(
        "note that the rotation of " + standing.label() + " is postponed",
        session ->
            session.run(
                Call.update(
                    POSTPONE_ROTATION.call(),
                    POSTPONE_ROTATION.on("tenants", tables.tenants()),
                    standing.id().prefix() + reason,
                    standing.number())));
  }
}
