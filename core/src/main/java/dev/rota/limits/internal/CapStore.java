package dev.rota.limits.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.limits.internal.CapBudget.Demand;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/** The statements about slots of caps. Thread-safe. */
final class CapStore {

  private static final Sql LOOK_AT_SHARES = Sql.named("look_at_shares");
  private static final Sql MAKE_BUDGETS = Sql.named("make_budgets");
  private static final Sql LOCK_BUDGETS = Sql.named("lock_budgets");
  private static final Sql LEASE_SLOTS = Sql.named("lease_slots");

  private final RegistryTables tables;

  CapStore(RegistryTables tables) {
    this.tables = tables;
  }

  /**
   * What other workers have of a budget.
   *
   * @param held the slots that they hold together
   * @param wanting how many of them want more
   * @param workers how many hold or want any
   * @param idle how many would use more at once
   */
  record Others(int held, int wanting, int workers, int idle) {}

  /** Reads what others have of some budgets, in their order. */
  List<Others> look(Session session, List<ScopeLimits.Key> keys, long worker) throws SQLException {
    return session.run(
        BoundStatement.query(
            LOOK_AT_SHARES.call(),
            LOOK_AT_SHARES.on("shares", tables.shares()),
            row -> new Others(row.getInt(2), row.getInt(3), row.getInt(4), row.getInt(5)),
            tenants(keys),
            kinds(keys),
            worker));
  }

  /** Makes rows of budgets that may have none. */
  void make(Session session, List<ScopeLimits.Key> keys) throws SQLException {
    int unused =
        session.run(
            BoundStatement.update(
                MAKE_BUDGETS.call(),
                MAKE_BUDGETS.on("budgets", tables.budgets(), "tenants", tables.tenants()),
                tenants(keys),
                kinds(keys)));
  }

  /**
   * Leases slots.
   *
   * @return the slots that the worker holds now, by the place of the demand; none for a tenant that
   *     is erased
   */
  Map<Integer, Integer> lease(Session session, List<Demand> demands, long worker)
      throws SQLException {
    List<ScopeLimits.Key> keys = demands.stream().map(demand -> demand.budget().key).toList();
    session.run(
        BoundStatement.query(
            LOCK_BUDGETS.call(),
            LOCK_BUDGETS.on("budgets", tables.budgets()),
            row -> row.getString(1),
            tenants(keys),
            kinds(keys)));
    Map<Integer, Integer> held = new HashMap<>();
    session.run(
        BoundStatement.query(
            LEASE_SLOTS.call(),
            LEASE_SLOTS.on("budgets", tables.budgets(), "shares", tables.shares()),
            row -> held.put(row.getInt(1) - 1, row.getInt(2)) == null,
            worker,
            tenants(keys),
            kinds(keys),
            numbers(demands, Demand::slots),
            numbers(demands, Demand::used),
            numbers(demands, demand -> demand.budget().cap),
            numbers(demands, Demand::needed),
            numbers(demands, demand -> demand.idle() ? 1 : 0),
            worker));
    return held;
  }

  /** The tenants of keys, as a statement takes them. */
  static int[] tenants(List<ScopeLimits.Key> keys) {
    return keys.stream().mapToInt(ScopeLimits.Key::tenant).toArray();
  }

  /** The kinds of keys, as a statement takes them. */
  static String[] kinds(List<ScopeLimits.Key> keys) {
    return keys.stream().map(ScopeLimits.Key::kind).toArray(String[]::new);
  }

  private static int[] numbers(List<Demand> demands, ToIntFunction<Demand> which) {
    return demands.stream().mapToInt(which).toArray();
  }
}
