package dev.rota.internal.settle;

import dev.rota.RotaException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.BoundStatement.RowId;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation.Blocks;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds rows of one segment of history by batch and id, where the recorded locations hold too few.
 * VACUUM FULL, CLUSTER, some forms of ALTER TABLE and a restored dump move rows. Reads the whole
 * segment. Used by one thread, in one transaction.
 */
public final class RowFinder {

  private static final Sql FIND_TASKS_OF_BATCHES = Sql.named("find_tasks_of_batches");
  private static final Sql FIND_ROWS_OF_BATCHES = Sql.named("find_rows_of_batches");
  private static final Sql FIND_ROWS_IN_BLOCKS = Sql.named("find_rows_in_blocks");

  private static final Blocks NOWHERE = new Blocks(0, 0, 0);

  private final Session session;
  private final TenantRef tenant;
  private final int segment;

  public RowFinder(Session session, TenantRef tenant, int segment) {
    this.session = session;
    this.tenant = tenant;
    this.segment = segment;
  }

  /** The identity of a row of history: a task is in a batch once. */
  private record RowKey(long batch, long task) {

    static RowKey of(Outcome outcome) {
      return new RowKey(outcome.task().batch(), outcome.task().id());
    }
  }

  private record FoundRow(RowId place, boolean settled) {}

  /** The number of rows of a batch, and the blocks of its unsettled ones. */
  private record Extent(long batch, int rows, Blocks unsettled) {

    static Extent read(ResultSet row) throws SQLException {
      return new Extent(row.getLong(1), row.getInt(2), blocks(row));
    }

    private static Blocks blocks(ResultSet row) throws SQLException {
      String first = row.getString(4);
      return first == null
          ? NOWHERE
          : new Blocks(
              RowId.parse(first).block(), RowId.parse(row.getString(5)).block(), row.getInt(3));
    }

    static Extent of(BatchLocation batch, Map<Long, Extent> found) {
      return found.getOrDefault(batch.id(), new Extent(batch.id(), 0, NOWHERE));
    }
  }

  /**
   * Returns the outcomes whose tasks have none yet, with the present locations of their rows.
   *
   * @throws RotaException if a row does not exist
   */
  List<Outcome> unsettled(List<Outcome> outcomes) throws SQLException {
    Map<RowKey, FoundRow> found = find(outcomes);
    List<Outcome> unsettled = new ArrayList<>();
    SortedMap<Long, Integer> missing = new TreeMap<>();
    for (Outcome outcome : outcomes) {
      FoundRow row = found.get(RowKey.of(outcome));
      if (row == null) {
        missing.merge(outcome.task().batch(), 1, Integer::sum);
      } else if (!row.settled()) {
        unsettled.add(outcome.at(row.place()));
      }
    }
    if (!missing.isEmpty()) {
      throw missing(missing);
    }
    return unsettled;
  }

  private Map<RowKey, FoundRow> find(List<Outcome> outcomes) throws SQLException {
    Map<RowKey, FoundRow> found = new HashMap<>();
    session.readLong();
    session.run(
        BoundStatement.query(
            FIND_TASKS_OF_BATCHES.call(),
            on(FIND_TASKS_OF_BATCHES),
            row ->
                found.put(
                    new RowKey(row.getLong(1), row.getLong(2)),
                    new FoundRow(
                        RowId.parse(row.getString(3)),
                        row.getShort(4) != AttemptStateCode.AS_BATCH.code())),
            outcomes.stream().mapToLong(outcome -> outcome.task().batch()).distinct().toArray(),
            outcomes.stream().mapToLong(outcome -> outcome.task().id()).toArray()));
    return found;
  }

  /**
   * Returns the unsettled part of a batch: its number of tasks, and their blocks.
   *
   * @throws RotaException if the segment holds fewer rows of the batch than its row in the ledger
   *     counts
   */
  BatchLocation unsettled(BatchLocation batch) throws SQLException {
    return unsettledOf(List.of(batch)).get(0);
  }

  /** Returns the unsettled parts of several batches, in their order, by one scan. */
  public List<BatchLocation> unsettledOf(List<BatchLocation> batches) throws SQLException {
    Map<Long, Extent> found = extentsOf(batches);
    requireAll(batches, found);
    return batches.stream().map(batch -> batch.in(Extent.of(batch, found).unsettled())).toList();
  }

  /**
   * Returns the unsettled part of one batch, first, and by the same scan those of others unless
   * they lack rows.
   */
  List<BatchLocation> unsettledWith(BatchLocation batch, List<BatchLocation> others)
      throws SQLException {
    List<BatchLocation> batches = new ArrayList<>(List.of(batch));
    batches.addAll(others);
    Map<Long, Extent> found = extentsOf(batches);
    requireAll(List.of(batch), found);
    return batches.stream()
        .filter(each -> Extent.of(each, found).rows() >= each.tasks())
        .map(each -> each.in(Extent.of(each, found).unsettled()))
        .toList();
  }

  private Map<Long, Extent> extentsOf(List<BatchLocation> batches) throws SQLException {
    long[] ids = batches.stream().mapToLong(BatchLocation::id).toArray();
    session.readLong();
    return extents(FIND_ROWS_OF_BATCHES, (Object) ids);
  }

  private void requireAll(List<BatchLocation> batches, Map<Long, Extent> found) {
    SortedMap<Long, Integer> missing = new TreeMap<>();
    for (BatchLocation batch : batches) {
      int rows = Extent.of(batch, found).rows();
      if (rows < batch.tasks()) {
        missing.put(batch.id(), batch.tasks() - rows);
      }
    }
    if (!missing.isEmpty()) {
      throw missing(missing);
    }
  }

  /** Whether all rows of a batch, settled or not, are in its blocks. */
  public boolean isInItsBlocks(BatchLocation batch) throws SQLException {
    Map<Long, Extent> found =
        extents(
            FIND_ROWS_IN_BLOCKS,
            new long[] {batch.id()},
            batch.blocks().start(),
            batch.blocks().end());
    return Extent.of(batch, found).rows() >= batch.tasks();
  }

  private Map<Long, Extent> extents(Sql statement, @Nullable Object... binds) throws SQLException {
    Map<Long, Extent> found = new HashMap<>();
    for (Extent extent :
        session.run(BoundStatement.query(statement.call(), on(statement), Extent::read, binds))) {
      found.put(extent.batch(), extent);
    }
    return found;
  }

  private RotaException missing(SortedMap<Long, Integer> counts) {
    return new RotaException(
        tenant.label()
            + ": "
            + counts.entrySet().stream()
                .map(entry -> entry.getValue() + " tasks of batch " + entry.getKey())
                .collect(Collectors.joining(", "))
            + " have no row in "
            + tenant.tables().segment(segment)
            + ", though Rota removes no row of an open batch; it stays open. Bring the rows back"
            + " from a backup, or set closed_at and ended = 2 in its row of the ledger to give"
            + " these tasks up");
  }

  /**
   * The exception for rows that were just found, but not at their new locations under the same
   * lock.
   */
  RotaException unreachable(Collection<Long> batches) {
    return new RotaException(
        tenant.label()
            + ": rows of batches "
            + batches
            + " in "
            + tenant.tables().segment(segment)
            + " changed while they were settled; the batches stay open. Look for triggers or rules"
            + " on this table, and remove them");
  }

  private String on(Sql template) {
    return template.on("segment", tenant.tables().segment(segment));
  }
}
