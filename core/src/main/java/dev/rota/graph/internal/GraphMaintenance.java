package dev.rota.graph.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.FailureTracker;
import dev.rota.internal.maintenance.LeaderTransactions;
import dev.rota.internal.maintenance.MaintenanceTask;
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
import java.util.concurrent.TimeUnit;
import org.jooq.impl.DSL;

/**
 * Maintains graphs: continues the propagation of tasks that ended without running, where the
 * process that did it died, and removes graphs that finished long ago. Used by one thread.
 */
public final class GraphMaintenance implements MaintenanceTask {

  private static final Sql FIND_GRAPHS = Sql.named("find_graphs");
  private static final Sql FINISH_GRAPHS = Sql.named("finish_graphs");
  private static final Sql FORGET_GRAPHS = Sql.named("forget_graphs");

  /** The most tasks that are removed in one transaction. */
  private static final int MOST_TASKS = 5_000;

  /** The length of a step, after which the other tasks have a turn. */
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /**
   * The pause between visits, ten seconds by default: only the death of a process at the wrong
   * moment leaves work.
   */
  private static final int TICKS_BETWEEN_LOOKS = 40;

  private final LeaderTransactions transactions;
  private final TenantRegistry registry;
  private final SkipPropagator skips;
  private final Duration interval;
  private final Duration keepGraphs;
  private final FailureTracker<Integer> failures = new FailureTracker<>("look after the graphs of");
  private final Deque<Integer> toVisit = new ArrayDeque<>();

  /**
   * For one leadership.
   *
   * @param tick how often the leader looks for what is due
   * @param keepGraphs for how long the progress of a finished graph can be read
   */
  public GraphMaintenance(
      LeaderTransactions transactions,
      TenantRegistry registry,
      SkipPropagator skips,
      Duration tick,
      Duration keepGraphs) {
    this.transactions = transactions;
    this.registry = registry;
    this.skips = skips;
    this.interval = tick.multipliedBy(TICKS_BETWEEN_LOOKS);
    this.keepGraphs = keepGraphs;
  }

  @Override
  public String name() {
    return "look after graphs";
  }

  @Override
  public Duration run() throws SQLException {
    long startedAt = System.nanoTime();
    if (toVisit.isEmpty()) {
      toVisit.addAll(tenants());
      failures.retain(new HashSet<>(toVisit));
    }
    while (!toVisit.isEmpty()) {
      if (isOver(startedAt)) {
        return Duration.ZERO;
      }
      int tenant = toVisit.remove();
      boolean more = visit(tenant);
      while (more && !isOver(startedAt)) {
        more = visit(tenant);
      }
      if (more) {
        // Behind the others, which a tenant with much to do must not keep waiting.
        toVisit.addLast(tenant);
      }
    }
    return Backoff.betweenLooks(interval, startedAt);
  }

  private static boolean isOver(long startedAt) {
    return System.nanoTime() - startedAt > STEP_NANOS;
  }

  private List<Integer> tenants() throws SQLException {
    RegistryTables tables = registry.tables();
    return transactions.transaction(
        name(),
        session ->
            session.run(
                BoundStatement.query(
                    FIND_GRAPHS.call(),
                    FIND_GRAPHS.on("tenants", tables.tenants()),
                    row -> row.getInt(1),
                    tables.schema())));
  }

  /** Visits one tenant, and returns whether there may be more to do; a failure is not thrown. */
  private boolean visit(int number) {
    if (!failures.mayTry(number)) {
      return false;
    }
    String label = "tenant " + number;
    boolean[] more = {false};
    failures.attempt(
        number,
        label,
        () -> {
          TenantRef tenant = registry.get(number);
          more[0] =
              transactions.transaction(
                  "look after the graphs of " + label, session -> lookAfter(session, tenant));
        });
    return more[0];
  }

  /** Runs a step, and returns whether there may be more to do. */
  private boolean lookAfter(Session session, TenantRef tenant) throws SQLException {
    boolean more = skips.step(session, tenant);
    List<Integer> changed =
        session.runAll(
            List.of(
                on(tenant, FINISH_GRAPHS),
                on(
                    tenant,
                    FORGET_GRAPHS,
                    TimeUnit.MILLISECONDS.toMicros(keepGraphs.toMillis()),
                    tenant.number())));
    return more || changed.get(1) > 0;
  }

  private BoundStatement<Integer> on(TenantRef tenant, Sql statement, Object... binds) {
    TenantTables tables = tenant.tables();
    String sql =
        statement.on(
            Map.of(
                "graphs", tables.graphs(),
                "nodes", tables.nodes(),
                "edges", tables.edges(),
                "spread", tables.spread(),
                "tenants", registry.tables().tenants(),
                "most_tasks", DSL.inline(MOST_TASKS)));
    return BoundStatement.counting(statement.call(), sql, binds);
  }
}
