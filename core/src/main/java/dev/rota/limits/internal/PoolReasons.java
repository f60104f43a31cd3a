package dev.rota.limits.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.limits.Reason;
import dev.rota.limits.Reason.Code;
import dev.rota.limits.internal.why.ReasonSource;
import dev.rota.limits.internal.why.Subject;
import dev.rota.limits.internal.why.Subject.WorkerRow;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Tells that no live worker serves the pool of a tenant. Used by one thread. */
final class PoolReasons implements ReasonSource {

  private static final Sql LIST_POOLS_SERVED = Sql.named("list_pools_served");

  private final StoredRules.Reading rules;
  private final RegistryTables tables;

  PoolReasons(StoredRules.Reading rules, RegistryTables tables) {
    this.rules = rules;
    this.tables = tables;
  }

  @Override
  public List<Reason> reasons(Session session, Subject subject) throws SQLException {
    List<WorkerRow> live = subject.live();
    String pool = rules.read(session).limits().pool(subject.tenant().number());
    if (live.isEmpty() || live.stream().anyMatch(worker -> worker.service().serves(pool))) {
      return List.of();
    }
    return List.of(
        new Reason(
            Code.POOL_NOT_SERVED,
            true,
            "the tenant is in pool " + pool + ", which no live worker serves",
            Map.of("pool", pool)));
  }

  @Override
  public Map<Integer, Set<Code>> heldBack(Session session, Collection<Integer> tenants)
      throws SQLException {
    ResolvedLimits limits = rules.read(session).limits();
    if (!limits.arePooled()) {
      return Map.of();
    }
    List<Subject.Service> services = services(session);
    if (services.isEmpty()) {
      return Map.of();
    }
    Map<Integer, Set<Code>> held = new HashMap<>();
    for (int tenant : tenants) {
      String pool = limits.pool(tenant);
      if (services.stream().noneMatch(one -> one.serves(pool))) {
        held.put(tenant, Set.of(Code.POOL_NOT_SERVED));
      }
    }
    return held;
  }

  private List<Subject.Service> services(Session session) throws SQLException {
    return session.run(
        BoundStatement.query(
            LIST_POOLS_SERVED.call(),
            LIST_POOLS_SERVED.on("workers", tables.workers()),
            row -> Subject.Service.read(row, 1)));
  }
}
