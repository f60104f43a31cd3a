package dev.rota.partition.internal;

import dev.rota.internal.NodeSpread;
import dev.rota.internal.TenantHandle;
import dev.rota.internal.TenantRegistry;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.RotaTables;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.Sql;
import dev.rota.internal.db.TenantTables;
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
 * Looks after graphs: spreads the news of tasks that ended without running, where the process that
 * was at it died, and forgets graphs that finished long ago. Used by one thread.
 */
final class GraphKeeper implements Duty {

  private static final Sql FIND_GRAPHS = Sql.named("find_graphs");
  private static final Sql FINISH_GRAPHS = Sql.named("finish_graphs");
  private static final Sql FORGET_GRAPHS = Sql.named("forget_graphs");

  /** How many tasks are forgotten in one transaction. */
  private static final int MOST_TASKS = 5_000;

  /** After so long the other duties have a turn. */
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Ten seconds by default: it is a process that dies at the wrong moment that is waited for. */
  private static final int TICKS_BETWEEN_LOOKS = 40;

  private final Mandate mandate;
  private final TenantRegistry registry;
  private final NodeSpread nodeSpread;
  private final DaemonSettings settings;
  private final Troubles<Integer> troubles = new Troubles<>("look after the graphs of");
  private final Deque<Integer> toVisit = new ArrayDeque<>();

  GraphKeeper(
      Mandate mandate, TenantRegistry registry, NodeSpread nodeSpread, DaemonSettings settings) {
    this.mandate = mandate;
    this.registry = registry;
    this.nodeSpread = nodeSpread;
    this.settings = settings;
  }

  @Override
  public String name() {
    return "look after graphs";
  }

  @Override
  public long perform() throws SQLException {
    long startedAt = System.nanoTime();
    if (toVisit.isEmpty()) {
      toVisit.addAll(tenants());
      troubles.retain(new HashSet<>(toVisit));
    }
    while (!toVisit.isEmpty()) {
      if (System.nanoTime() - startedAt > STEP_NANOS) {
        return 0;
      }
      visit(toVisit.remove());
    }
    Duration interval = settings.tick().multipliedBy(TICKS_BETWEEN_LOOKS);
    return Pauses.betweenLooks(interval, startedAt);
  }

  private List<Integer> tenants() throws SQLException {
    RotaTables tables = registry.tables();
    return mandate.transaction(
        name(),
        session ->
            session.run(
                Call.query(
                    FIND_GRAPHS.call(),
                    FIND_GRAPHS.on("tenants", tables.tenants()),
                    row -> row.getInt(1),
                    tables.schema())));
  }

  /** One tenant's trouble must not hold up the others. */
  private void visit(int number) {
    if (!troubles.mayTry(number)) {
      return;
    }
    String label = "tenant " + number;
    boolean[] more = {false};
    troubles.attempt(
        number,
        label,
        () -> {
          TenantHandle tenant = registry.get(number);
          more[0] =
              mandate.transaction(
                  "look after the graphs of " + label, session -> lookAfter(session, tenant));
        });
    if (more[0]) {
      toVisit.addFirst(number);
    }
  }

  /** Returns whether there may be more to do. */
  private boolean lookAfter(Session session, TenantHandle tenant) throws SQLException {
    boolean more = nodeSpread.step(session, tenant);
    List<Integer> changed =
        session.runTogether(
            List.of(
                on(tenant, FINISH_GRAPHS),
                on(
                    tenant,
                    FORGET_GRAPHS,
                    TimeUnit.MILLISECONDS.toMicros(settings.keepGraphs().toMillis()),
                    tenant.number())));
    return more || changed.get(1) > 0;
  }

  private Call<Integer> on(TenantHandle tenant, Sql statement, Object... binds) {
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
    return Call.update(statement.call(), sql, binds);
  }
}
