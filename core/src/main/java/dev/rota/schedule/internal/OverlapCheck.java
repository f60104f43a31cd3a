package dev.rota.schedule.internal;

import dev.rota.RotaException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.BoundStatement.RowId;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation.Blocks;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Checks whether a task has ended, without reading history. It has not while it is in the ring, the
 * wait table or an open batch. The ledger row of the batch has the pages to read.
 *
 * <p>The cost is one read of the tenant's slots and wait table, up to the task if it is there. To
 * that come the pages of the tenant's open batches. A segment is read whole where these pages hold
 * fewer rows of a batch than it has tasks. Some have ended and left them, or the segment was
 * rewritten.
 */
final class OverlapCheck {

  private static final Sql LOOK_FOR_THE_LAST_TASK = Sql.named("look_for_the_last_task");
  private static final Sql LOOK_INTO_A_BATCH = Sql.named("look_into_a_batch");
  private static final Sql LOOK_FOR_ROWS_OF_BATCHES = Sql.named("look_for_rows_of_batches");

  private final RegistryTables rota;
  private final TenantRef tenant;
  private final long task;

  /** Batches that are open but no longer hold this task. */
  private final Set<Long> ended = new HashSet<>();

  private record OpenBatch(long id, int segment, Blocks blocks) {

    static OpenBatch read(ResultSet row) throws SQLException {
      return new OpenBatch(
          row.getLong(1), row.getInt(2), new Blocks(row.getLong(3), row.getLong(4), row.getInt(5)));
    }

    boolean isPendingTask() {
      return id == 0;
    }
  }

  /** The number of rows of a batch that were found, and the states of the task among them. */
  private record Found(long batch, long rows, List<Short> states) {

    static Found read(ResultSet row) throws SQLException {
      Array states = row.getArray(3);
      return new Found(
          row.getLong(1),
          row.getLong(2),
          states == null ? List.of() : List.of((Short[]) states.getArray()));
    }
  }

  private enum Finding {
    ALIVE,
    ENDED,
    MOVED
  }

  OverlapCheck(RegistryTables rota, TenantRef tenant, long task) {
    this.rota = rota;
    this.tenant = tenant;
    this.task = task;
  }

  /**
   * Whether the task has not ended. A task that left a batch between the first read and the second,
   * for another attempt, is searched once more. Each round either ends the search or finds one more
   * attempt that is over.
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
    return batches.isEmpty() ? Finding.ENDED : lookInto(session, batches);
  }

  private List<OpenBatch> whereabouts(Session session) throws SQLException {
    return session.run(
        BoundStatement.query(
            LOOK_FOR_THE_LAST_TASK.call(),
            LOOK_FOR_THE_LAST_TASK.on(
                "pending", tenant.tables().pendingView(), "ledger", rota.ledgerView()),
            OpenBatch::read,
            task,
            tenant.number()));
  }

  private Finding lookInto(Session session, List<OpenBatch> batches) throws SQLException {
    List<BoundStatement<List<Found>>> calls = new ArrayList<>();
    batches.forEach(batch -> calls.add(inBlocks(batch)));
    List<Found> found = session.runAll(calls).stream().flatMap(List::stream).toList();
    Finding finding = judge(found);
    return finding == Finding.ENDED ? lookFurther(session, incomplete(batches, found)) : finding;
  }

  /**
   * Continues the search: the task may be in none of the batches, or among the rows that were not
   * found.
   */
  private Finding lookFurther(Session session, List<OpenBatch> incomplete) throws SQLException {
    if (incomplete.isEmpty()) {
      return Finding.ENDED;
    }
    List<Found> found = new ArrayList<>();
    for (int segment : incomplete.stream().mapToInt(OpenBatch::segment).distinct().toArray()) {
      found.addAll(session.run(inSegment(segment, incomplete)));
    }
    Finding finding = judge(found);
    List<OpenBatch> missing = incomplete(incomplete, found);
    if (finding == Finding.ENDED && !missing.isEmpty()) {
      throw unreachable(missing.get(0), found);
    }
    return finding;
  }

  private Finding judge(List<Found> found) {
    if (found.stream().anyMatch(each -> each.states().contains(AttemptStateCode.AS_BATCH.code()))) {
      return Finding.ALIVE;
    }
    List<Found> over = found.stream().filter(each -> !each.states().isEmpty()).toList();
    over.forEach(each -> ended.add(each.batch()));
    return over.isEmpty() ? Finding.ENDED : Finding.MOVED;
  }

  private static List<OpenBatch> incomplete(List<OpenBatch> batches, List<Found> found) {
    return batches.stream().filter(batch -> rowsOf(batch, found) < batch.blocks().rows()).toList();
  }

  private static long rowsOf(OpenBatch batch, List<Found> found) {
    return found.stream().filter(each -> each.batch() == batch.id()).mapToLong(Found::rows).sum();
  }

  private RotaException unreachable(OpenBatch batch, List<Found> found) {
    return new RotaException(
        ("look for task %d of %s: batch %d has %d tasks, and segment %d of its history holds %d of"
                + " them; put the others back from a backup, or end its worker")
            .formatted(
                task,
                tenant.label(),
                batch.id(),
                batch.blocks().rows(),
                batch.segment(),
                rowsOf(batch, found)));
  }

  private BoundStatement<List<Found>> inBlocks(OpenBatch batch) {
    List<RowId> places = batch.blocks().places();
    return BoundStatement.query(
        LOOK_INTO_A_BATCH.call(),
        LOOK_INTO_A_BATCH.on("segment", tenant.tables().segment(batch.segment())),
        Found::read,
        task,
        new long[] {batch.id()},
        places.get(0),
        places.get(1));
  }

  private BoundStatement<List<Found>> inSegment(int segment, List<OpenBatch> batches) {
    return BoundStatement.query(
        LOOK_FOR_ROWS_OF_BATCHES.call(),
        LOOK_FOR_ROWS_OF_BATCHES.on("segment", tenant.tables().segment(segment)),
        Found::read,
        task,
        batches.stream()
            .filter(batch -> batch.segment() == segment)
            .mapToLong(OpenBatch::id)
            .toArray());
  }
}
