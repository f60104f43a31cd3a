package dev.rota.graph.internal;

import dev.rota.RotaException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.enqueue.Doorbell;
import dev.rota.internal.log.Logs;
import dev.rota.internal.settle.TaskExtension;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.LazyTables;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Propagates nodes that ended without running to their children, generation by generation, some
 * thousands in each transaction. A table lists the nodes that are left. The process that added them
 * continues with them; the daemon continues with those of a process that died. Thread-safe.
 */
public final class SkipPropagator {

  private static final Sql TAKE_SPREAD = Sql.named("take_spread");

  private static final Logger log = Logs.of(SkipPropagator.class);

  /** The number of nodes of one transaction. */
  private static final int TOGETHER = 5_000;

  private final Database database;
  private final Executor background;
  private final GraphExtension extension;

  /**
   * Creates the propagator for the graphs of one Rota.
   *
   * @param tables the tables that graphs need
   */
  public SkipPropagator(
      Database database,
      Executor background,
      LazyTables tables,
      TenantRegistry registry,
      Doorbell doorbell) {
    this.database = database;
    this.background = background;
    this.extension = new GraphExtension(tables, registry, doorbell, this::soon);
  }

  /** The extension that adds graphs to the life cycle of tasks. */
  public TaskExtension extension() {
    return extension;
  }

  /**
   * Runs one step, in a separate transaction.
   *
   * @return whether there may be more to do
   */
  public boolean step(Session session, TenantRef tenant) throws SQLException {
    List<Unrun> taken =
        session.run(
            BoundStatement.query(
                TAKE_SPREAD.call(),
                TAKE_SPREAD.on("spread", tenant.tables().spread()),
                row -> new Unrun(row.getLong(1), row.getString(2)),
                TOGETHER));
    if (taken.isEmpty()) {
      return false;
    }
    long[] ids = taken.stream().mapToLong(Unrun::id).toArray();
    extension.endUnrun(
        session, tenant, ids, taken.stream().map(Unrun::reason).toArray(String[]::new));
    return taken.size() == TOGETHER;
  }

  /** Propagates all listed nodes, and all that follow from them. */
  void spread(TenantRef tenant) {
    String purpose = "cancel the children of tasks of " + tenant.label();
    boolean more = true;
    while (more) {
      more = database.transaction(purpose, session -> step(session, tenant));
    }
  }

  /** Runs a step on a background thread, whose other work has a turn between steps. */
  void soon(TenantRef tenant) {
    background.execute(() -> stepQuietly(tenant));
  }

  private void stepQuietly(TenantRef tenant) {
    try {
      String purpose = "cancel the children of tasks of " + tenant.label();
      if (database.transaction(purpose, session -> step(session, tenant))) {
        soon(tenant);
      }
    } catch (RotaException e) {
      log.debug("the daemon will {}", e.getMessage());
    }
  }

  private record Unrun(long id, @Nullable String reason) {}
}
