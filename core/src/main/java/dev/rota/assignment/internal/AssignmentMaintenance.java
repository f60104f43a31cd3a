package dev.rota.assignment.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.log.Logs;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.FailureTracker;
import dev.rota.internal.maintenance.LeaderTransactions;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.maintenance.SilenceWatch;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jooq.Name;
import org.jooq.impl.DSL;
import org.slf4j.Logger;

/**
 * Ends the assignments of dead processes, so that workers and tasks are free again. It scans all
 * pools when a process dies, and periodically. Used by one thread.
 */
public final class AssignmentMaintenance implements MaintenanceTask {

  private static final Sql FIND_POOLS = Sql.named("find_pools");
  private static final Sql FREE_ASSIGNMENTS = Sql.named("free_assignments");
  private static final Sql LOCK_DEAD_WORKERS = Sql.named("lock_dead_workers");

  /** The most assignments that end in one transaction. */
  private static final int MOST = 5_000;

  private static final Logger log = Logs.of(AssignmentMaintenance.class);

  /** The length of a step, after which the other tasks have a turn. */
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Assignments without a worker are an accident, and a look through all pools is dear. */
  private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Duration WITHOUT_POOLS = Duration.ofSeconds(2);

  private final LeaderTransactions transactions;
  private final TenantRegistry registry;
  private final RegistryTables tables;
  private final Duration tick;
  private final FailureTracker<Integer> failures = new FailureTracker<>("free the assignments of");
  private final Deque<Integer> toSweep = new ArrayDeque<>();
  private final SilenceWatch silences;
  private List<SilenceWatch.Dead> dead = List.of();
  private Set<Long> living = Set.of();
  private boolean pools;
  private long sweepAt = System.nanoTime();

  /**
   * For one leadership.
   *
   * @param tick how often the leader looks for what is due
   */
  public AssignmentMaintenance(
      LeaderTransactions transactions, TenantRegistry registry, Duration tick) {
    this.transactions = transactions;
    this.registry = registry;
    this.tables = registry.tables();
    this.tick = tick;
    this.silences = new SilenceWatch(tables);
  }

  @Override
  public String name() {
    return "look for assignments of dead workers";
  }

  @Override
  public Duration run() throws SQLException {
    long startedAt = System.nanoTime();
    if (toSweep.isEmpty()) {
      look(startedAt);
    }
    while (!toSweep.isEmpty()) {
      if (System.nanoTime() - startedAt > STEP_NANOS) {
        return Duration.ZERO;
      }
      sweep(toSweep.remove());
    }
    return Backoff.betweenLooks(pools ? tick : WITHOUT_POOLS, startedAt);
  }

  private void look(long now) throws SQLException {
    List<Long> tenants = transactions.transaction(name(), this::lookUp);
    Set<Long> alive = new HashSet<>(silences.living());
    pools = !tenants.isEmpty();
    if (!alive.containsAll(living) || now - sweepAt >= 0) {
      tenants.forEach(tenant -> toSweep.add(tenant.intValue()));
      sweepAt = now + Backoff.jittered(SWEEP_NANOS);
    }
    living = alive;
  }

  private List<Long> lookUp(Session session) throws SQLException {
    dead = silences.look(session);
    return session.run(numbers(FIND_POOLS, "pools", tables.assignmentPools()));
  }

  /** Sweeps one tenant; a failure does not stop the others. */
  private void sweep(int number) throws SQLException {
    if (!failures.mayTry(number)) {
      return;
    }
    String label = "tenant " + number;
    long[] freed = {0};
    failures.attempt(number, label, () -> freed[0] = free(registry.get(number)));
    if (freed[0] > 0) {
      log.info("ended {} assignments of {}: their processes are dead", freed[0], label);
    }
    if (freed[0] == MOST) {
      toSweep.addFirst(number);
    }
  }

  private long free(TenantRef tenant) throws SQLException {
    TenantTables own = tenant.tables();
    String sql =
        FREE_ASSIGNMENTS.on(
            Map.of(
                "assignments", own.assignments(),
                "free", own.free(),
                "workers", tables.workers(),
                "most", DSL.inline(MOST)));
    return transactions.lengthyTransaction(
        "free the assignments of " + tenant.label(), session -> free(session, sql));
  }

  private long free(Session session, String sql) throws SQLException {
    List<Long> locked =
        session.run(
            numbers(
                LOCK_DEAD_WORKERS,
                "workers",
                tables.workers(),
                SilenceWatch.workers(dead),
                SilenceWatch.heartbeats(dead)));
    long[] ids = locked.stream().mapToLong(Long::longValue).toArray();
    BoundStatement<List<Long>> free =
        BoundStatement.query(FREE_ASSIGNMENTS.call(), sql, row -> row.getLong(1), ids);
    return session.run(free).get(0);
  }

  private static BoundStatement<List<Long>> numbers(
      Sql template, String place, Name table, Object... binds) {
    return BoundStatement.query(
        template.call(), template.on(place, table), row -> row.getLong(1), binds);
  }
}
