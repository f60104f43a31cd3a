package dev.rota.limits.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.limits.Rate;
import dev.rota.limits.Reason;
import dev.rota.limits.Reason.Code;
import dev.rota.limits.Scope;
import dev.rota.limits.internal.why.ReasonSource;
import dev.rota.limits.internal.why.Subject;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Tells which rates are used up, and when their next starts come. Used by one thread. */
final class RateReasons implements ReasonSource {

  private static final Sql LIST_USED_RATES = Sql.named("list_used_rates");
  private static final double NANOS_A_MICRO = 1e3;

  private final StoredRules.Reading rules;
  private final RegistryTables tables;

  RateReasons(StoredRules.Reading rules, RegistryTables tables) {
    this.rules = rules;
    this.tables = tables;
  }

  @Override
  public List<Reason> reasons(Session session, Subject subject) throws SQLException {
    ScopeLimits<Rate> rates = rules.read(session).limits().rates();
    if (rates.isEmpty()) {
      return List.of();
    }
    List<ScopeLimits.Key> keys = rates.keysOf(subject);
    Map<ScopeLimits.Key, Instant> next = nextStarts(session, keys, rates);
    return keys.stream()
        .filter(next::containsKey)
        .map(key -> reason(key, rate(rates, key), Objects.requireNonNull(next.get(key)), subject))
        .toList();
  }

  private static Rate rate(ScopeLimits<Rate> rates, ScopeLimits.Key key) {
    return Objects.requireNonNull(rates.of(key));
  }

  /** The times of the next starts of those rates of which no start is left now. */
  private Map<ScopeLimits.Key, Instant> nextStarts(
      Session session, List<ScopeLimits.Key> keys, ScopeLimits<Rate> rates) throws SQLException {
    Map<ScopeLimits.Key, Instant> next = new HashMap<>();
    session.run(
        BoundStatement.query(
            LIST_USED_RATES.call(),
            LIST_USED_RATES.on("buckets", tables.buckets()),
            row ->
                next.put(
                        keys.get(row.getInt(1)), row.getObject(2, OffsetDateTime.class).toInstant())
                    == null,
            CapStore.tenants(keys),
            CapStore.kinds(keys),
            keys.stream()
                .mapToDouble(key -> rate(rates, key).stepNanos() / NANOS_A_MICRO)
                .toArray()));
    return next;
  }

  private static Reason reason(ScopeLimits.Key key, Rate rate, Instant nextStart, Subject subject) {
    Scope scope = key.scope(subject);
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("scope", scope.toString());
    data.put("rate", rate.toString());
    data.put("nextStart", nextStart.toString());
    return new Reason(
        Code.RATE_LIMITED,
        key.countsAll(subject),
        "the rate of %s is used up: %s; its next start comes at %s"
            .formatted(scope, rate, nextStart),
        data);
  }

  /**
   * Tells which tenants wait for starts. Rates of a kind do not count: the pending tasks of a
   * tenant may be of other kinds.
   */
  @Override
  public Map<Integer, Set<Code>> heldBack(Session session, Collection<Integer> tenants)
      throws SQLException {
    ScopeLimits<Rate> rates = rules.read(session).limits().rates();
    if (rates.isEmpty()) {
      return Map.of();
    }
    Set<ScopeLimits.Key> keys = new LinkedHashSet<>();
    tenants.forEach(tenant -> keys.addAll(rates.wholeOf(tenant)));
    Set<ScopeLimits.Key> used = nextStarts(session, List.copyOf(keys), rates).keySet();
    Map<Integer, Set<Code>> held = new HashMap<>();
    for (int tenant : tenants) {
      if (rates.wholeOf(tenant).stream().anyMatch(used::contains)) {
        held.put(tenant, Set.of(Code.RATE_LIMITED));
      }
    }
    return held;
  }
}
