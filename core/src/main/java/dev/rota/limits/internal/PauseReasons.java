package dev.rota.limits.internal;

import dev.rota.internal.db.Session;
import dev.rota.limits.Reason;
import dev.rota.limits.Reason.Code;
import dev.rota.limits.Rule.Pause.Origin;
import dev.rota.limits.Scope;
import dev.rota.limits.internal.RuleRow.TimedPause;
import dev.rota.limits.internal.why.ReasonSource;
import dev.rota.limits.internal.why.Subject;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tells which pauses hold back tasks. Used by one thread. */
final class PauseReasons implements ReasonSource {

  private final StoredRules.Reading rules;

  PauseReasons(StoredRules.Reading rules) {
    this.rules = rules;
  }

  @Override
  public List<Reason> reasons(Session session, Subject subject) throws SQLException {
    return rules.read(session).of(subject.tenant().number()).stream()
        .filter(row -> row.pause().isPresent() && concerns(row, subject))
        .map(row -> reason(row, row.pause().get(), subject))
        .toList();
  }

  /** Pauses of a kind of all tenants or of a plan only matter to those that have such tasks. */
  private static boolean concerns(RuleRow row, Subject subject) {
    @Nullable String kind = row.scope().kind().orElse(null);
    return subject.asks(kind)
        && (kind == null || row.tenant().isPresent() || subject.mayHave(kind));
  }

  private static Reason reason(RuleRow row, TimedPause pause, Subject subject) {
    Scope scope = row.scope();
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("scope", scope.toString());
    data.put("reason", pause.reason());
    data.put("since", pause.since().toString());
    String text = orderedBy(row.origin()) + " of " + scope + " since " + pause.since();
    if (pause.until() != null) {
      data.put("until", pause.until().toString());
      text += " until " + pause.until();
    }
    data.put("by", row.origin().name().toLowerCase(Locale.ROOT));
    boolean all = scope.priority().isEmpty() && subject.isWhole(scope.kind().orElse(null));
    String why = pause.reason().isEmpty() ? "" : ": " + pause.reason();
    return new Reason(Code.PAUSED, all, text + why, data);
  }

  private static String orderedBy(Origin origin) {
    return switch (origin) {
      case OPERATOR -> "paused by the rule";
      case HANDLER -> "held by a handler";
      case BREAKER -> "paused by the breaker";
    };
  }

  @Override
  public Map<Integer, Set<Code>> heldBack(Session session, Collection<Integer> tenants)
      throws SQLException {
    StoredRules stored = rules.read(session);
    Map<Integer, Set<Code>> held = new HashMap<>();
    for (int tenant : tenants) {
      if (stored.of(tenant).stream().anyMatch(PauseReasons::holdsTenant)) {
        held.put(tenant, Set.of(Code.PAUSED));
      }
    }
    return held;
  }

  private static boolean holdsTenant(RuleRow row) {
    return row.pause().isPresent()
        && row.scope().kind().isEmpty()
        && row.scope().priority().isEmpty();
  }
}
