package dev.rota.limits.internal;

import dev.rota.UnknownTenantException;
import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.BoundStatement.RowId;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.internal.settle.RowFinder;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.limits.Scope;
import dev.rota.limits.internal.quota.RoomWait;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Waits until no task of a scope runs. Leased tasks are in open batches. Handlers that run inside
 * their claim hold the gate of their tenant. Thread-safe.
 */
final class QuietWatch {

  private static final Sql LOOK_FOR_GATES = Sql.named("look_for_gates");
  private static final Sql LOOK_FOR_RUNNING_TASKS = Sql.named("look_for_running_tasks");
  private static final Sql FIND_OPEN_BATCHES = Sql.named("find_open_batches_of_tenants");

  /**
   * How long processes that have not heard of a pause yet may begin claims. Each asks before a
   * claim if it has not looked lately; the rest is for threads that stall between that and the
   * claim.
   */
  private static final long PROPAGATION_NANOS =
      TaskRules.Source.RECENT_NANOS + TimeUnit.MILLISECONDS.toNanos(500);

  private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Looks may take one part in so many of the time. */
  private static final int COST_SHARE = 4;

  private final Database database;
  private final TenantRegistry registry;
  private final RuleStore store;
  private final int namespace;

  QuietWatch(Database database, TenantRegistry registry, RuleStore store, int namespace) {
    this.database = database;
    this.registry = registry;
    this.store = store;
    this.namespace = namespace;
  }

  /** Waits; false when the patience is over, or the thread was interrupted. */
  boolean await(RuleStore.Key key, Duration patience) {
    long startedAt = System.nanoTime();
    long most = nanos(patience);
    Set<String> held = null;
    while (true) {
      long lookedAt = System.nanoTime();
      Look look = database.transaction("look what runs of " + key.scope(), at -> look(at, key));
      if (lookedAt - startedAt >= PROPAGATION_NANOS) {
        // Transactions that began later know the pause.
        held = held == null ? look.gates : common(held, look.gates);
        if (held.isEmpty() && !look.running) {
          return true;
        }
      }
      long left = most - (System.nanoTime() - startedAt);
      if (left <= 0 || !RoomWait.pause(Math.min(left, pauseAfter(lookedAt)))) {
        return false;
      }
    }
  }

  private static long nanos(Duration patience) {
    return patience.compareTo(Duration.ofDays(365)) > 0
        ? TimeUnit.DAYS.toNanos(365)
        : patience.toNanos();
  }

  private static Set<String> common(Set<String> some, Set<String> others) {
    Set<String> common = new HashSet<>(some);
    common.retainAll(others);
    return common;
  }

  private static long pauseAfter(long lookedAt) {
    return Math.max(SHORTEST_NANOS, COST_SHARE * (System.nanoTime() - lookedAt));
  }

  /**
   * What a look found.
   *
   * @param gates the transactions that hold gates of tenants of the scope
   * @param running whether a batch with tasks of the scope is open
   */
  private record Look(Set<String> gates, boolean running) {}

  private Look look(Session session, RuleStore.Key key) throws SQLException {
    int[] tenants = tenants(session, key);
    Set<String> gates =
        new HashSet<>(
            session.run(
                BoundStatement.query(
                    LOOK_FOR_GATES, row -> row.getString(1), namespace, tenants, tenants)));
    List<BatchLocation> open =
        session.run(BatchLocation.find(FIND_OPEN_BATCHES, registry.tables(), tenants, tenants));
    return new Look(gates, hasAny(session, key.scope(), open));
  }

  /** The numbers of the tenants of a scope; null for all. */
  private int @Nullable [] tenants(Session session, RuleStore.Key key) throws SQLException {
    if (key.tenant() != null) {
      return new int[] {key.tenant()};
    }
    Optional<String> plan = key.scope().plan();
    return plan.isPresent()
        ? store.tenantsOf(session, plan.get()).stream().mapToInt(Integer::intValue).toArray()
        : null;
  }

  private boolean hasAny(Session session, Scope scope, List<BatchLocation> open)
      throws SQLException {
    if (scope.kind().isEmpty() && scope.priority().isEmpty()) {
      return !open.isEmpty();
    }
    for (BatchLocation batch : open) {
      if (hasAny(session, scope, batch)) {
        return true;
      }
    }
    return false;
  }

  private boolean hasAny(Session session, Scope scope, BatchLocation batch) throws SQLException {
    TenantRef tenant;
    try {
      tenant = tenantOf(session, scope, batch);
    } catch (UnknownTenantException e) {
      // It is being erased, with its tasks.
      return false;
    }
    Optional<Part> part = Part.of(scope, tenant);
    if (part.isEmpty()) {
      return false;
    }
    Rows near = rows(session, tenant, part.get(), batch);
    if (near.found >= batch.blocks().rows()) {
      return near.running > 0;
    }
    // The table was rewritten, and its rows moved.
    RowFinder finder = new RowFinder(session, tenant, batch.segment());
    for (BatchLocation moved : finder.unsettledOf(List.of(batch))) {
      if (rows(session, tenant, part.get(), moved).running > 0) {
        return true;
      }
    }
    return false;
  }

  /** The tenant of a batch. Another process may have added the lane of the scope just now. */
  private TenantRef tenantOf(Session session, Scope scope, BatchLocation batch)
      throws SQLException {
    OptionalInt priority = scope.priority();
    return priority.isPresent()
        ? registry.get(session, batch.tenant(), priority.getAsInt())
        : registry.get(session, batch.tenant());
  }

  /** The kind, or the number of the lane, of the tasks of a scope. */
  private record Part(@Nullable String kind, @Nullable Integer lane) {

    /** Returns none if the tenant has no lane of that priority. */
    static Optional<Part> of(Scope scope, TenantRef tenant) {
      if (scope.priority().isEmpty()) {
        return Optional.of(new Part(scope.kind().orElse(null), null));
      }
      return tenant
          .state()
          .lanes()
          .find(scope.priority().getAsInt())
          .map(lane -> new Part(null, lane.number()));
    }
  }

  /**
   * The rows of a batch.
   *
   * @param found how many are in its blocks
   * @param running how many of them are unsettled tasks of the scope
   */
  private record Rows(long found, long running) {}

  private static Rows rows(Session session, TenantRef tenant, Part part, BatchLocation batch)
      throws SQLException {
    List<RowId> places = batch.blocks().places();
    return session
        .run(
            BoundStatement.query(
                LOOK_FOR_RUNNING_TASKS.call(),
                LOOK_FOR_RUNNING_TASKS.on("segment", tenant.tables().segment(batch.segment())),
                row -> new Rows(row.getLong(1), row.getLong(2)),
                part.kind,
                part.kind,
                part.lane,
                part.lane,
                places.get(0),
                places.get(1),
                batch.id()))
        .get(0);
  }
}
