package dev.rota.internal;

import dev.rota.internal.db.Call;
import dev.rota.internal.db.Place;
import dev.rota.internal.db.RotaTables;
import dev.rota.internal.db.ScheduleSql;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.StateCode;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Whether a task has ended, without reading history: it has not while it is in the ring or the wait
 * table, or in an open batch, whose row of the ledger tells the pages to look into.
 *
 * <p>The cost is one reading of the tenant's slots and wait table, up to the task if it is there,
 * and of the pages of the tenant's open batches.
 */
final class LastTask {

  private final RotaTables rota;
  private final TenantHandle tenant;
  private final long task;

  /** Batches that are open but done with this task. */
  private final Set<Long> ended = new HashSet<>();

  private record OpenBatch(long id, int segment, long firstBlock, long lastBlock) {

    boolean isPendingTask() {
      return id == 0;
    }
  }

  private enum Finding {
    ALIVE,
    ENDED,
    MOVED
  }

  LastTask(RotaTables rota, TenantHandle tenant, long task) {
    this.rota = rota;
    this.tenant = tenant;
    this.task = task;
  }

  /**
   * A task that left a batch between the first look and the second, for another attempt, is sought
   * once more: each round either ends the search or knows of one more attempt that is over.
   */
  boolean isAlive(Session session) throws SQLException {
    Finding finding = look(session);
    while (finding == Finding.MOVED) {
      finding = look(session);
    }
    return finding == Finding.ALIVE;
  }

  private Finding look(Session session) throws SQLException {
    List<OpenBatch> batches = whereabouts(session);
    if (batches.stream().anyMatch(OpenBatch::isPendingTask)) {
      return Finding.ALIVE;
    }
    batches.removeIf(batch -> ended.contains(batch.id()));
    return lookInto(session, batches);
  }

  private List<OpenBatch> whereabouts(Session session) throws SQLException {
    return session.run(
        Call.query(
            ScheduleSql.WHEREABOUTS.call(),
            ScheduleSql.WHEREABOUTS.on(
                "pending", tenant.tables().pendingView(), "ledger", rota.ledgerView()),
            row -> new OpenBatch(row.getLong(1), row.getInt(2), row.getLong(3), row.getLong(4)),
            task,
            tenant.number()));
  }

  private Finding lookInto(Session session, List<OpenBatch> batches) throws SQLException {
    if (batches.isEmpty()) {
      return Finding.ENDED;
    }
    List<Call<List<Short>>> calls = new ArrayList<>();
    batches.forEach(batch -> calls.add(states(batch)));
    List<List<Short>> found = session.runTogether(calls);
    boolean moved = false;
    for (int i = 0; i < batches.size(); i++) {
      for (short state : found.get(i)) {
        if (state == StateCode.AS_BATCH.code()) {
          return Finding.ALIVE;
        }
        moved = true;
        ended.add(batches.get(i).id());
      }
    }
    return moved ? Finding.MOVED : Finding.ENDED;
  }

  private Call<List<Short>> states(OpenBatch batch) {
    return Call.query(
        ScheduleSql.STATE_IN_BATCH.call(),
        ScheduleSql.STATE_IN_BATCH.on("segment", tenant.tables().segment(batch.segment())),
        row -> row.getShort(1),
        Place.startOf(batch.firstBlock()),
        Place.startOf(batch.lastBlock() + 1),
        batch.id(),
        task);
  }
}
