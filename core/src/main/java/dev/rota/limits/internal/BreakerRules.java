package dev.rota.limits.internal;

import dev.rota.limits.Breaker;
import dev.rota.limits.Limits;
import dev.rota.limits.Rule.Pause.Origin;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The breakers of all rules, by what they count, and those that have tripped. Immutable. */
final class BreakerRules extends ScopeLimits<Breaker> {

  private final Map<Key, Trip> trips = new HashMap<>();

  /**
   * A breaker that has tripped.
   *
   * @param at when, by the clock of the database; it identifies the trip
   * @param paused whether the kind is still paused; else it is tried
   */
  record Trip(Instant at, boolean paused) {}

  /**
   * Creates the breakers.
   *
   * @param planOf returns the plan of a tenant
   * @param age how many nanoseconds ago the rows were read
   */
  BreakerRules(List<RuleRow> rows, IntFunction<String> planOf, long age) {
    super(rows, planOf, Limits::breaker);
    for (RuleRow row : rows) {
      RuleRow.Order order = row.order();
      Key key = keyOf(row);
      if (order != null && order.origin() == Origin.BREAKER && of(key) != null) {
        boolean paused = row.pause().filter(pause -> pause.left(age) > 0).isPresent();
        trips.put(key, new Trip(order.at(), paused));
      }
    }
  }

  private static Key keyOf(RuleRow row) {
    return new Key(row.tenant().orElse(0), row.scope().kind().orElse(""));
  }

  /** Whether a row says nothing, since its breaker is gone. */
  boolean ignores(RuleRow row) {
    RuleRow.Order order = row.order();
    return order != null && order.origin() == Origin.BREAKER && !trips.containsKey(keyOf(row));
  }

  /** How many tasks may run at a time of what is tried. */
  Map<Key, Integer> probes() {
    Map<Key, Integer> probes = new HashMap<>();
    trips.forEach(
        (key, trip) -> {
          Breaker breaker = of(key);
          if (!trip.paused && breaker != null) {
            probes.put(key, breaker.probes());
          }
        });
    return probes;
  }

  /** The trip of a breaker; null if it lets tasks through. */
  @Nullable Trip trip(Key key) {
    return trips.get(key);
  }
}
