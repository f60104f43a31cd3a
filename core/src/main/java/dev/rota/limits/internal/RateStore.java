package dev.rota.limits.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.limits.internal.RateBudget.Demand;
import dev.rota.limits.internal.RateBudget.Leased;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The statements about starts at rates. Thread-safe. */
final class RateStore {

  private static final Sql MAKE_BUCKETS = Sql.named("make_buckets");
  private static final Sql LEASE_STARTS = Sql.named("lease_starts");
  private static final double NANOS_A_MICRO = 1e3;

  private final RegistryTables tables;

  RateStore(RegistryTables tables) {
    this.tables = tables;
  }

  /** Makes rows of buckets that may have none. */
  void make(Session session, List<ScopeLimits.Key> keys) throws SQLException {
    int unused =
        session.run(
            BoundStatement.update(
                MAKE_BUCKETS.call(),
                MAKE_BUCKETS.on("buckets", tables.buckets(), "tenants", tables.tenants()),
                CapStore.tenants(keys),
                CapStore.kinds(keys)));
  }

  /** Leases starts; returns what was leased, by the place of the demand, but for missing rows. */
  Map<Integer, Leased> lease(Session session, List<Demand> demands) throws SQLException {
    List<ScopeLimits.Key> keys = demands.stream().map(demand -> demand.budget().key).toList();
    Map<Integer, Leased> leased = new HashMap<>();
    session.run(
        BoundStatement.query(
            LEASE_STARTS.call(),
            LEASE_STARTS.on("buckets", tables.buckets()),
            row ->
                leased.put(row.getInt(1) - 1, new Leased(row.getLong(2), row.getDouble(3))) == null,
            demands.stream().noneMatch(demand -> RateBudget.isDurable(demand.rate())),
            CapStore.tenants(keys),
            CapStore.kinds(keys),
            demands.stream().mapToLong(Demand::starts).toArray(),
            demands.stream().mapToLong(Demand::back).toArray(),
            micros(demands, demand -> demand.rate().stepNanos()),
            micros(demands, demand -> demand.rate().burst() * demand.rate().stepNanos()),
            micros(demands, Demand::ahead)));
    return leased;
  }

  private static double[] micros(List<Demand> demands, ToDoubleFunction<Demand> nanos) {
    return demands.stream().mapToDouble(nanos).map(value -> value / NANOS_A_MICRO).toArray();
  }
}
