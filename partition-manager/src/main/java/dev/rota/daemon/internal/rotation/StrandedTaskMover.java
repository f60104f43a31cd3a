package dev.rota.daemon.internal.rotation;

import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Moves tasks that no worker runs out of the slot that is to be emptied, so that they do not block
 * the rotation for ever. It works in small batches, under the tenant's gate, and only if the
 * rotation is worth it. The tasks lose their place in the queue. Used by one thread.
 */
public final class StrandedTaskMover {

  private static final Sql CONSUMED = Sql.named("consumed");
  private static final Sql CARRY_OVER = Sql.named("carry_over");

  private static final int BATCH = 1_000;
  private static final int BATCHES = 10;

  /**
   * The time without reported deletes after which a slot counts as not consumed; busy backends
   * report them once a second.
   */
  private static final long UNMOVED_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

  private final LeaderSession mandate;
  private final int namespace;
  private final long slotBytes;
  private final Map<RingId, Watch> watches = new HashMap<>();

  private record Watch(int slot, long deleted, long since) {}

  private record Consumption(long deleted, boolean currentConsumed) {}

  public StrandedTaskMover(LeaderSession mandate, int namespace, DaemonConfig settings) {
    this.mandate = mandate;
    this.namespace = namespace;
    this.slotBytes = settings.rotation().slotBytes();
  }

  void ended(RingId ring) {
    watches.remove(ring);
  }

  /**
   * Moves tasks if no worker takes them.
   *
   * @return whether the slot may be empty now
   */
  boolean run(RingStatus standing) throws SQLException {
    Consumption consumption = consumption(standing);
    if (!isUnmoved(standing, consumption.deleted())) {
      return false;
    }
    if (!consumption.currentConsumed() && standing.ring().bytes() < slotBytes) {
      return false;
    }
    boolean emptied = move(standing);
    ended(standing.id());
    return emptied;
  }

  private boolean isUnmoved(RingStatus standing, long deleted) {
    int slot = standing.ring().slot();
    Watch watch = watches.get(standing.id());
    if (watch == null || watch.slot() != slot || watch.deleted() != deleted) {
      watches.put(standing.id(), new Watch(slot, deleted, System.nanoTime()));
      return false;
    }
    return System.nanoTime() - watch.since() >= UNMOVED_NANOS;
  }

  private Consumption consumption(RingStatus standing) throws SQLException {
    int slot = standing.ring().slot();
    return mandate.transaction(
        "look how " + standing.label() + " is consumed",
        session ->
            session
                .run(
                    BoundStatement.query(
                        CONSUMED,
                        row -> new Consumption(row.getLong(1), row.getBoolean(2)),
                        standing.entry().slots().get(TenantTables.after(slot)),
                        standing.entry().slots().get(slot)))
                .get(0));
  }

  /** Moves tasks, each batch in a separate transaction, so that the gate is never held for long. */
  private boolean move(RingStatus standing) throws SQLException {
    for (int i = 0; i < BATCHES; i++) {
      if (moveBatch(standing) < BATCH) {
        return true;
      }
    }
    return false;
  }

  private int moveBatch(RingStatus standing) throws SQLException {
    var tables = standing.entry().tenant().tables();
    int slot = standing.ring().slot();
    String sql =
        CARRY_OVER.on("slot", tables.slot(TenantTables.after(slot)), "current", tables.slot(slot));
    return mandate.transaction(
        "carry over tasks of " + standing.label(),
        session ->
            session.run(
                BoundStatement.update(
                    CARRY_OVER.call(), sql, namespace, standing.number(), BATCH)));
  }
}
