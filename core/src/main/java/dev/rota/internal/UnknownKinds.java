package dev.rota.internal;

import dev.rota.internal.db.Call;
import dev.rota.internal.db.RingSql;
import dev.rota.internal.db.Session;
import dev.rota.internal.text.Shown;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the log, once for each kind, that tasks stay pending since no handler of this worker knows
 * their kind. Looks only where a visit was in vain. Thread-safe.
 */
final class UnknownKinds {

  private static final Logger log = LoggerFactory.getLogger(UnknownKinds.class);

  /** Whoever enqueues more unknown kinds than this has been told often enough. */
  private static final int MOST_TOLD = 1_000;

  private final @Nullable List<String> known;
  private final Set<String> told = ConcurrentHashMap.newKeySet();

  /** Kinds other than these; none if it is null. */
  UnknownKinds(@Nullable Set<String> known) {
    this.known = known == null ? null : List.copyOf(known);
  }

  void lookIn(Session session, List<TenantVisit> visits) throws SQLException {
    if (known != null && told.size() < MOST_TOLD) {
      for (TenantVisit visit : visits) {
        if (visit.wasInVain()) {
          look(session, visit, known);
        }
      }
    }
  }

  private void look(Session session, TenantVisit visit, List<String> kinds) throws SQLException {
    List<Call<List<String>>> calls =
        visit.slots().stream()
            .map(
                slot ->
                    Call.query(
                        RingSql.UNKNOWN_KIND.call(),
                        visit.tenant().unknownKindSql(slot),
                        row -> row.getString(1),
                        (Object) kinds.toArray(new String[0])))
            .toList();
    for (List<String> found : session.runTogether(calls)) {
      found.forEach(kind -> tell(visit.tenant(), kind));
    }
  }

  private void tell(TenantHandle tenant, String kind) {
    if (told.add(kind)) {
      log.warn(
          "tasks of kind '{}' (first seen with {}) stay pending: no handler of this worker knows them",
          Shown.whole(kind),
          tenant.label());
    }
  }
}
