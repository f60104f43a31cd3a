package dev.rota.daemon.internal.retention;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.BlockRange;
import dev.rota.internal.schema.TableExtent;
import dev.rota.internal.sql.Sql;
import java.math.BigInteger;
import java.sql.SQLException;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/**
 * Sums the rows of a segment before its drop, in ranges of blocks, so that no statement is long.
 * Only sums computed under the lock of the drop are final. A segment that is rewritten between two
 * ranges has its rows in other blocks, and is summed again. Used by one thread.
 */
public final class SegmentChecksum {

  private static final Sql SUM_UP_SEGMENT = Sql.named("sum_up_segment");

  private final Name segment;
  private long blocks;
  private Sums sums = Sums.NONE;
  private @Nullable TableExtent extent;

  /**
   * The sums of rows.
   *
   * @param rows the number of rows
   * @param ids the sum of their ids
   * @param states the sum of their states
   */
  public record Sums(long rows, BigInteger ids, long states) {

    private static final Sums NONE = new Sums(0, BigInteger.ZERO, 0);

    Sums plus(Sums other) {
      return new Sums(rows + other.rows, ids.add(other.ids), states + other.states);
    }
  }

  public SegmentChecksum(Name segment) {
    this.segment = segment;
  }

  /** Sums one range, unless at most one is left. */
  boolean advance(Session session) throws SQLException {
    BlockRange range = next(extent(session));
    if (range.isLast()) {
      return false;
    }
    add(session, range);
    // The segment is locked by now, so that this is the file whose range was added up.
    TableExtent unused = extent(session);
    return true;
  }

  /** Sums the rest, in the transaction that has locked the segment, and returns the total. */
  public Sums finish(Session session) throws SQLException {
    TableExtent locked = extent(session);
    BlockRange range = next(locked);
    for (; !range.isLast(); range = next(locked)) {
      add(session, range);
    }
    add(session, range);
    return sums;
  }

  private BlockRange next(TableExtent now) {
    return now.range(blocks, BlockRange.WORKED_TOGETHER);
  }

  private void add(Session session, BlockRange range) throws SQLException {
    Sums found =
        session
            .run(
                BoundStatement.query(
                    SUM_UP_SEGMENT.call(),
                    SUM_UP_SEGMENT.on("segment", segment),
                    row ->
                        new Sums(row.getLong(1), new BigInteger(row.getString(2)), row.getLong(3)),
                    range.start(),
                    range.end()))
            .get(0);
    sums = sums.plus(found);
    blocks = range.to();
  }

  /** Where the segment stands. Forgets what was added up if that was another file. */
  private TableExtent extent(Session session) throws SQLException {
    TableExtent now = TableExtent.of(session, segment);
    if (extent != null && !now.isSameFileAs(extent)) {
      sums = Sums.NONE;
      blocks = 0;
    }
    extent = now;
    return now;
  }
}
