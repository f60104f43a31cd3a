package dev.rota.internal;

import dev.rota.RotaException;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.Sql;
import dev.rota.internal.log.Logs;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Spreads the news of nodes that ended without running to their children, generation by generation,
 * some thousands in each transaction. Which ones are left stands in a table: whoever made them goes
 * on with them, and the daemon with what a process that died has left. Thread-safe.
 */
public final class NodeSpread {

  private static final Sql TAKE_SPREAD = Sql.named("take_spread");

  private static final Logger log = Logs.of(NodeSpread.class);

  /** Nodes of one transaction. */
  private static final int TOGETHER = 5_000;

  private final Engine engine;
  private final NodeEnds ends;

  NodeSpread(Engine engine, NodeEnds ends) {
    this.engine = engine;
    this.ends = ends;
  }

  /**
   * Does one step, in a transaction of its own.
   *
   * @return whether there may be more to do
   */
  public boolean step(Session session, TenantHandle tenant) throws SQLException {
    List<Unrun> taken =
        session.run(
            Call.query(
                TAKE_SPREAD.call(),
                TAKE_SPREAD.on("spread", tenant.tables().spread()),
                row -> new Unrun(row.getLong(1), row.getString(2)),
                TOGETHER));
    if (taken.isEmpty()) {
      return false;
    }
    long[] ids = taken.stream().mapToLong(Unrun::id).toArray();
    ends.endUnrun(session, tenant, ids, taken.stream().map(Unrun::reason).toArray(String[]::new));
    return taken.size() == TOGETHER;
  }

  /** Spreads what there is, and all that follows from it. */
  void spread(TenantHandle tenant) {
    String purpose = "cancel what depends on tasks of " + tenant.label();
    boolean more = true;
    while (more) {
      more = engine.database().transaction(purpose, session -> step(session, tenant));
    }
  }

  /** Does a step on a thread of the background, whose other work has a turn between steps. */
  void soon(TenantHandle tenant) {
    ScheduledExecutorService background = engine.timer();
    background.execute(() -> stepQuietly(tenant));
  }

  private void stepQuietly(TenantHandle tenant) {
    try {
      String purpose = "cancel what depends on tasks of " + tenant.label();
      if (engine.database().transaction(purpose, session -> step(session, tenant))) {
        soon(tenant);
      }
    } catch (RotaException e) {
      log.debug("the daemon will {}", e.getMessage());
    }
  }

  private record Unrun(long id, @Nullable String reason) {}
}
