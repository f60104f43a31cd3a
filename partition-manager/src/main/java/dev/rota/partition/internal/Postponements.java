package dev.rota.partition.internal;

import dev.rota.internal.db.Call;
import dev.rota.internal.db.RotaTables;
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

  private final Mandate mandate;
  private final RotaTables tables;
  private final Tally tally;
  private final Duration retryPause;
  private final Map<Integer, Postponement> postponements = new HashMap<>();

  private record Postponement(long countedPeriod, long retryAt) {}

  Postponements(Mandate mandate, RotaTables tables, Tally tally, Duration period) {
    this.mandate = mandate;
    this.tables = tables;
    this.tally = tally;
    this.retryPause = Pauses.part(period, 10, Duration.ofMillis(100), Duration.ofSeconds(30));
  }

  boolean has(int tenant) {
    return postponements.containsKey(tenant);
  }

  boolean mayTry(int tenant) {
    Postponement postponement = postponements.get(tenant);
    return postponement == null || postponement.retryAt - System.nanoTime() <= 0;
  }

  /** Forgets the tenants that are not due any more. */
  void retain(Set<Integer> due) {
    postponements.keySet().retainAll(due);
  }

  void ended(int tenant) {
    postponements.remove(tenant);
  }

  /** Puts off. */
  void add(Standing standing, String reason) throws SQLException {
    Postponement before = postponements.get(standing.number());
    boolean counted = before != null && before.countedPeriod == standing.period();
    postponements.put(
        standing.number(),
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
                    RotationSql.POSTPONE.call(),
                    RotationSql.POSTPONE.on("tenants", tables.tenants()),
                    reason,
                    standing.number())));
  }
}
