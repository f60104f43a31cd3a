package dev.rota.internal;

import dev.rota.internal.EndEffects.EndEffect;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.Sql;
import dev.rota.internal.db.StateCode;
import dev.rota.internal.db.TransactionSettings;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Frees the keys of tasks that ended, or runs them again if a newer version came meanwhile. Plain
 * keys before those with versions, as producers take them, so that neither waits for the other in a
 * circle. Thread-safe.
 */
final class KeyEnds implements EndEffect {

  private static final Sql END_KEYS = Sql.named("end_keys");
  private static final Sql END_KEPT_KEYS = Sql.named("end_kept_keys");
  private static final Sql END_VERSIONS = Sql.named("end_versions");
  private static final Sql CANCEL_VERSIONS = Sql.named("cancel_versions");

  private final Doorbell doorbell;

  KeyEnds(Doorbell doorbell) {
    this.doorbell = doorbell;
  }

  @Override
  public void apply(Session session, TenantHandle tenant, List<Ending> ended) throws SQLException {
    List<Call<Integer>> calls = new ArrayList<>();
    add(calls, tenant, END_KEPT_KEYS, select(ended, ending -> ending.has(Traits.KEY_KEPT)));
    add(calls, tenant, END_KEYS, select(ended, ending -> !ending.has(Traits.VERSIONED)));
    List<Ending> versioned = select(ended, ending -> ending.has(Traits.VERSIONED));
    add(calls, tenant, CANCEL_VERSIONS, select(versioned, KeyEnds::isCancelled));
    if (!calls.isEmpty()) {
      session.runTogether(calls);
    }
    endRuns(session, tenant, select(versioned, ending -> ending.run() != null));
  }

  /** Cancelled or set aside before it ran, so that no statement looked up its version. */
  private static boolean isCancelled(Ending ending) {
    return ending.run() == null && ending.state() != StateCode.DONE;
  }

  private void endRuns(Session session, TenantHandle tenant, List<Ending> runs)
      throws SQLException {
    if (runs.isEmpty()) {
      return;
    }
    session.runAhead(TransactionSettings.waitingBriefly());
    int again =
        session.run(
            Call.counting(
                END_VERSIONS.call(),
                END_VERSIONS.on(
                    Map.of(
                        "keys",
                        tenant.tables().keys(),
                        "insertions",
                        IntoLanes.insertions(tenant))),
                keys(runs),
                ids(runs),
                runs.stream().mapToLong(ending -> ending.versionedRun().number()).toArray(),
                runs.stream().mapToLong(ending -> ending.versionedRun().version()).toArray(),
                runs.stream().mapToInt(Ending::traits).toArray()));
    if (again > 0) {
      session.afterCommit(() -> doorbell.ring(tenant.number()));
    }
  }

  private static void add(
      List<Call<Integer>> calls, TenantHandle tenant, Sql template, List<Ending> ended) {
    if (!ended.isEmpty()) {
      calls.add(
          Call.update(template.call(), tenant.statements().of(template), keys(ended), ids(ended)));
    }
  }

  private static List<Ending> select(List<Ending> ended, Predicate<Ending> which) {
    return ended.stream().filter(ending -> ending.key() != null).filter(which).toList();
  }

  private static String[] keys(List<Ending> ended) {
    return ended.stream().map(Ending::key).toArray(String[]::new);
  }

  private static long[] ids(List<Ending> ended) {
    return ended.stream().mapToLong(Ending::id).toArray();
  }
}
