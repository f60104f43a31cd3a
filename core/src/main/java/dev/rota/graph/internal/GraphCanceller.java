package dev.rota.graph.internal;

import dev.rota.control.TaskFilter;
import dev.rota.control.internal.PendingCanceller;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/**
 * Cancels the rest of a graph: first the blocked tasks, so that none can begin, then the pending
 * and waiting ones.
 */
final class GraphCanceller {

  private static final Sql CANCEL_BLOCKED_NODES = Sql.named("cancel_blocked_nodes");
  private static final Sql LIST_ACTIVE_NODES = Sql.named("list_active_nodes");

  private static final int TOGETHER = 5_000;

  private final Database database;
  private final SkipPropagator skips;
  private final PendingCanceller canceller;
  private final TenantRef tenant;

  GraphCanceller(
      Database database, SkipPropagator skips, PendingCanceller canceller, TenantRef tenant) {
    this.database = database;
    this.skips = skips;
    this.canceller = canceller;
    this.tenant = tenant;
  }

  long cancel(long graph, String reason) {
    String purpose = "cancel graph " + graph + " of " + tenant.label();
    long cancelled = cancelBlocked(graph, reason, purpose);
    List<Long> active = database.transaction(purpose, session -> active(session, graph));
    if (!active.isEmpty()) {
      cancelled += canceller.cancel(TaskFilter.all().ids(active), reason);
    }
    skips.spread(tenant);
    return cancelled;
  }

  private long cancelBlocked(long graph, String reason, String purpose) {
    long cancelled = 0;
    int step;
    do {
      step = database.transaction(purpose, session -> cancelSome(session, graph, reason));
      cancelled += step;
    } while (step == TOGETHER);
    return cancelled;
  }

  private int cancelSome(Session session, long graph, String reason) throws SQLException {
    String sql =
        CANCEL_BLOCKED_NODES.on(
            Map.of(
                "graphs", tenant.tables().graphs(),
                "nodes", tenant.tables().nodes(),
                "spread", tenant.tables().spread()));
    return session.run(
        BoundStatement.update(CANCEL_BLOCKED_NODES.call(), sql, graph, TOGETHER, reason));
  }

  private List<Long> active(Session session, long graph) throws SQLException {
    return session.run(
        BoundStatement.query(
            LIST_ACTIVE_NODES.call(),
            LIST_ACTIVE_NODES.on(
                "graphs", tenant.tables().graphs(), "nodes", tenant.tables().nodes()),
            row -> row.getLong(1),
            graph));
  }
}
