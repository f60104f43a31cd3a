package dev.rota.daemon.internal.rotation;

import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.rotation.RingSurvey.RingId;
import dev.rota.daemon.internal.rotation.RingSurvey.RingStatus;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
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

  private final LeaderSession leader;
  private final int namespace;
  private final long slotBytes;
  private final Map<RingId, Watch> watches = new HashMap<>();

  private record Watch(int slot, long deleted, long since) {}

  private record Consumption(long deleted, boolean currentConsumed) {}

  public StrandedTaskMover(LeaderSession leader, int namespace, DaemonConfig settings) {
    this.leader = leader;
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
  boolean run(RingStatus status) throws SQLException {
    Consumption consumption = consumption(status);
    if (!isUnmoved(status, consumption.deleted())) {
      return false;
    }
    if (!consumption.currentConsumed() && status.ring().bytes() < slotBytes) {
      return false;
    }
    boolean emptied = move(status);
    ended(status.id());
    return emptied;
  }

  private boolean isUnmoved(RingStatus status, long deleted) {
    int slot = status.ring().slot();
    Watch watch = watches.get(status.id());
    if (watch == null || watch.slot() != slot || watch.deleted() != deleted) {
      watches.put(status.id(), new Watch(slot, deleted, System.nanoTime()));
      return false;
    }
    return System.nanoTime() - watch.since() >= UNMOVED_NANOS;
  }

  private Consumption consumption(RingStatus status) throws SQLException {
    int slot = status.ring().slot();
    return leader.transaction(
        "look how " + status.label() + " is consumed",
        session ->
            session
                .run(
                    BoundStatement.query(
                        CONSUMED,
                        row -> new Consumption(row.getLong(1), row.getBoolean(2)),
                        status.entry().slots().get(PriorityLanes.after(slot)),
                        status.entry().slots().get(slot)))
                .get(0));
  }

  /** Moves tasks, each batch in a separate transaction, so that the gate is never held for long. */
  private boolean move(RingStatus status) throws SQLException {
    for (int i = 0; i < BATCHES; i++) {
      if (moveBatch(status) < BATCH) {
        return true;
      }
    }
    return false;
  }

  private int moveBatch(RingStatus status) throws SQLException {
    var tables = status.entry().tenant().tables();
    int slot = status.ring().slot();
    String sql =
        CARRY_OVER.on("slot", tables.slot(PriorityLanes.after(slot)), "current", tables.slot(slot));
    return leader.transaction(
        "carry over tasks of " + status.label(),
        session ->
            session.run(
                BoundStatement.update(CARRY_OVER.call(), sql, namespace, status.number(), BATCH)));
  }
}
