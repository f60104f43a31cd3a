package dev.rota.internal;

import dev.rota.internal.db.Call;
import dev.rota.internal.db.RingSql;
import dev.rota.internal.db.Session;
import dev.rota.internal.log.Logs;
import dev.rota.internal.text.Shown;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Tells the log, once for each kind, that tasks stay pending since no handler of this worker knows
 * their kind. Looks only where a visit was in vain. Thread-safe.
 */
final class UnknownKinds {

  private static final Logger log = Logs.of(UnknownKinds.class);

  /** Whoever enqueues more unknown kinds than this has been told often enough. */
  private static final int MOST_TOLD = 1_000;

  private static final long SWEEP_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final @Nullable List<String> known;
  private final Set<String> told = ConcurrentHashMap.newKeySet();
  private final Map<Integer, Long> sweptAt = new ConcurrentHashMap<>();
  private final OddRows oddRows;

  /** Kinds other than these; none if it is null. */
  UnknownKinds(OddRows oddRows, @Nullable Set<String> known) {
    this.oddRows = oddRows;
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
    List<Integer> slots = visit.slots();
    List<Call<List<Kind>>> calls = slots.stream().map(slot -> look(visit, slot, kinds)).toList();
    List<List<Kind>> found = session.runTogether(calls);
    for (int i = 0; i < found.size(); i++) {
      for (Kind kind : found.get(i)) {
        tell(session, visit.tenant(), slots.get(i), kind);
      }
    }
  }

  private static Call<List<Kind>> look(TenantVisit visit, int slot, List<String> kinds) {
    return Call.query(
        RingSql.UNKNOWN_KIND.call(),
        visit.tenant().unknownKindSql(slot),
        row -> new Kind(row.getString(1)),
        (Object) kinds.toArray(new String[0]));
  }

  /** A kind that no handler can have belongs to no worker; a kind behind it may belong to one. */
  private void tell(Session session, TenantHandle tenant, int slot, Kind kind) throws SQLException {
    String text = kind.text;
    boolean wellFormed = text != null && Texts.isKind(text);
    if (text != null && wellFormed) {
      tell(tenant, text);
    }
    long now = System.nanoTime();
    Long last = sweptAt.get(tenant.number());
    if (!wellFormed || last == null || now - last > SWEEP_NANOS) {
      sweptAt.put(tenant.number(), now);
      int unused = oddRows.move(session, tenant, slot);
    }
  }

  private record Kind(@Nullable String text) {}

  private void tell(TenantHandle tenant, String kind) {
    if (told.add(kind)) {
      log.warn(
          "tasks of kind '{}' (first seen with {}) stay pending: no handler of this worker knows them",
          Shown.whole(kind),
          tenant.label());
    }
  }
}
