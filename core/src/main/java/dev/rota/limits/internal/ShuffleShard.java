package dev.rota.limits.internal;

import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.BriefLook;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.ProcessLease;
import dev.rota.internal.sql.Sql;
import dev.rota.limits.internal.LateTenants.Counters;
import dev.rota.limits.internal.why.RingBacklog;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/**
 * The tenants that one worker with shards visits. It is chosen for them among the live processes
 * with such workers in the pool of the tenant; or their tasks wait for too long. Thread-safe; one
 * thread refreshes.
 */
final class ShuffleShard implements TaskRules.Shard {

  private static final Sql LIST_SHARDED_WORKERS = Sql.named("list_sharded_workers");
  private static final Sql LOOK_FOR_OLD_TASK = Sql.named("look_for_old_task");

  private static final String PURPOSE = "look which tenants to serve";
  private static final Duration IMPATIENCE = Duration.ofMillis(50);

  /** The most tenants to look at closer at a time. */
  private static final int MOST_LOOKS = 50;

  private final Database database;
  private final Database impatient;
  private final RegistryTables tables;
  private final ProcessLease lease;
  private final Terms terms;
  private final LateTenants late;
  private volatile State state = new State(new Members(0, Map.of()), Set.of());

  /**
   * What the worker was given.
   *
   * @param pools the pools that it serves
   * @param most how many workers visit a tenant
   */
  record Terms(Set<String> pools, int most) {}

  /**
   * The live processes that have workers with shards, and their pools.
   *
   * @param own the number of this one; 0 if it has none yet, and visits no tenant
   */
  private record Members(long own, Map<Long, Set<String>> pools) {

    boolean choose(int tenant, String pool, int most) {
      if (own == 0 || pools.size() <= most) {
        return own != 0;
      }
      Set<Long> ofPool = new HashSet<>(pools.keySet());
      ofPool.removeIf(worker -> !pools.getOrDefault(worker, Set.of()).contains(pool));
      return Rendezvous.chooses(own, ofPool, most, tenant);
    }
  }

  /** What was read last. */
  private record State(Members members, Set<Integer> helped) {}

  ShuffleShard(
      Database database,
      RegistryTables tables,
      ProcessLease lease,
      Terms terms,
      LongSupplier nanoTime) {
    this.database = database;
    this.impatient = database.withLockTimeout(IMPATIENCE).forReading(IMPATIENCE);
    this.tables = tables;
    this.lease = lease;
    this.terms = terms;
    this.late = new LateTenants(nanoTime);
  }

  @Override
  public boolean refresh(TaskRules all) {
    State before = state;
    Members members = members(lease.holder());
    state = new State(members, members.pools.size() <= terms.most ? Set.of() : late(members, all));
    return !state.equals(before);
  }

  @Override
  public IntPredicate under(TaskRules all) {
    State present = state;
    Map<Integer, Boolean> known = new ConcurrentHashMap<>();
    return tenant ->
        present.helped.contains(tenant)
            || known.computeIfAbsent(
                tenant, unused -> present.members.choose(tenant, all.pool(tenant), terms.most));
  }

  private Members members(long own) {
    Map<Long, Set<String>> pools = new HashMap<>();
    database.run(
        PURPOSE,
        session ->
            session.run(
                BoundStatement.query(
                    LIST_SHARDED_WORKERS.call(),
                    LIST_SHARDED_WORKERS.on("workers", tables.workers()),
                    row -> pools.put(row.getLong(1), pools(row)) == null)));
    pools.merge(own, terms.pools, ShuffleShard::union);
    return new Members(own, pools);
  }

  private static Set<String> pools(ResultSet row) throws SQLException {
    @Nullable Array pools = row.getArray(2);
    return pools == null ? Set.of(TaskRules.STANDARD_POOL) : Set.of((String[]) pools.getArray());
  }

  private static Set<String> union(Set<String> one, Set<String> other) {
    Set<String> both = new HashSet<>(one);
    both.addAll(other);
    return both;
  }

  /** The tenants of others in the pools of the worker that have waited for too long. */
  private Set<Integer> late(Members members, TaskRules all) {
    Map<Integer, RingBacklog> ofOthers = new HashMap<>();
    for (RingBacklog backlog : backlogs()) {
      int tenant = backlog.tenant();
      String pool = all.pool(tenant);
      if (terms.pools.contains(pool)
          && !members.choose(tenant, pool, terms.most)
          && !all.pauses(tenant).all()) {
        ofOthers.put(tenant, backlog);
      }
    }
    Map<Integer, Counters> counters = new HashMap<>();
    ofOthers.forEach(
        (tenant, backlog) ->
            counters.put(tenant, new Counters(backlog.pending(), backlog.removed())));
    return late.of(
        counters, MOST_LOOKS, tenant -> hasOldTask(Objects.requireNonNull(ofOthers.get(tenant))));
  }

  private List<RingBacklog> backlogs() {
    return database.transaction(PURPOSE, session -> RingBacklog.read(session, tables));
  }

  /** Whether a tenant has an old task. One whose tables cannot be read soon counts as late. */
  private boolean hasOldTask(RingBacklog backlog) {
    return BriefLook.at(impatient, PURPOSE, session -> hasOldTask(session, backlog)).orElse(true);
  }

  private static boolean hasOldTask(Session session, RingBacklog backlog) throws SQLException {
    List<BoundStatement<List<Boolean>>> looks = new ArrayList<>();
    for (Name slot : backlog.slots()) {
      looks.add(
          BoundStatement.query(
              LOOK_FOR_OLD_TASK.call(),
              LOOK_FOR_OLD_TASK.on("table", slot),
              row -> row.getBoolean(1),
              TimeUnit.NANOSECONDS.toMicros(LateTenants.PATIENCE_NANOS)));
    }
    return session.runAll(looks).stream().anyMatch(found -> found.get(0));
  }
}
