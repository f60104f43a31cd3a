package dev.rota.limits.internal.why;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.text.SafeText;
import dev.rota.limits.Reason;
import dev.rota.limits.Reason.Code;
import dev.rota.limits.internal.why.Subject.State;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The reasons that lie in the state of the tenant itself. Thread-safe. */
final class StateReasons implements ReasonSource {

  private static final Sql LOOK_FOR_RENAMED = Sql.named("look_for_renamed_tenant");
  private static final Sql LOOK_FOR_ERASED = Sql.named("look_for_erased_tenant");

  private final RegistryTables tables;

  StateReasons(RegistryTables tables) {
    this.tables = tables;
  }

  @Override
  public List<Reason> reasons(Session session, Subject subject) {
    State state = subject.tenant().state();
    List<Reason> reasons = new ArrayList<>();
    if (state.erasing() != null) {
      String since = state.erasing().toString();
      reasons.add(
          new Reason(
              Code.BEING_ERASED,
              true,
              "the tenant is being erased since " + since,
              Map.of("begunAt", since)));
    }
    if (state.importing()) {
      reasons.add(
          new Reason(
              Code.BEING_IMPORTED, true, "the import of the tenant has not ended", Map.of()));
    }
    if (state.closed()) {
      reasons.add(
          new Reason(
              Code.CLOSED,
              false,
              "the tenant is closed: it refuses new tasks, and runs those that it has",
              Map.of()));
    }
    if (state.parked()) {
      reasons.add(
          new Reason(
              Code.PARKED,
              true,
              "the tenant is parked: nothing is pending, and its next task makes its tables",
              Map.of()));
    }
    return reasons;
  }

  /** The reason that no tenant has a name. */
  Reason unknown(Session session, String name) throws SQLException {
    Optional<Reason> erased = erased(session, name).stream().findFirst();
    if (erased.isPresent()) {
      return erased.get();
    }
    List<String> present =
        session.run(
            BoundStatement.query(
                LOOK_FOR_RENAMED.call(),
                LOOK_FOR_RENAMED.on("tenants", tables.tenants()),
                row -> row.getString(1),
                name));
    String text = "no tenant is named '" + SafeText.of(name) + "'";
    return present.isEmpty()
        ? new Reason(
            Code.UNKNOWN_TENANT, true, text + "; rota tenant list shows the names", Map.of())
        : new Reason(
            Code.UNKNOWN_TENANT,
            true,
            text + "; the one that was is now '" + SafeText.of(present.get(0)) + "'",
            Map.of("renamedTo", present.get(0)));
  }

  private List<Reason> erased(Session session, String name) throws SQLException {
    return session.run(
        BoundStatement.query(
            LOOK_FOR_ERASED.call(),
            LOOK_FOR_ERASED.on("erasures", tables.erasures()),
            row -> erasure(name, row.getObject(2, OffsetDateTime.class)),
            name));
  }

  private static Reason erasure(String name, @Nullable OffsetDateTime finished) {
    String text = "tenant '" + SafeText.of(name) + "' was erased";
    return finished == null
        ? new Reason(Code.ERASED, true, text + "; the erasure has not finished", Map.of())
        : new Reason(
            Code.ERASED,
            true,
            text + " at " + finished.toInstant(),
            Map.of("finishedAt", finished.toInstant().toString()));
  }
}
