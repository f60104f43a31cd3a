package dev.rota.partition.internal;

import dev.rota.internal.db.Call;
import dev.rota.internal.db.Place;
import dev.rota.internal.db.Session;
import java.math.BigInteger;
import java.sql.SQLException;
import org.jooq.Name;

/**
 * What a segment holds that is to be dropped: the last gigabyte, which is all of an ordinary one,
 * is summed up under the lock of the drop, and what comes before in steps. A redrive that changes
 * states in an early part meanwhile is not noticed there. Used by one thread.
 */
final class SegmentSums {

  private static final long BLOCKS_UNDER_LOCK = 131_072;

  private final Name segment;
  private long blocks;
  private Sums sums = Sums.NONE;

  /**
   * What rows add up to.
   *
   * @param rows how many
   * @param ids the sum of their ids
   * @param states the sum of their states
   */
  record Sums(long rows, BigInteger ids, long states) {

    static final Sums NONE = new Sums(0, BigInteger.ZERO, 0);

    Sums plus(Sums other) {
      return new Sums(rows + other.rows, ids.add(other.ids), states + other.states);
    }
  }

  SegmentSums(Name segment) {
    this.segment = segment;
  }

  /** Sums up a step, unless what is left is short enough for the last one. */
  boolean advance(Session session) throws SQLException {
    if (SegmentCount.blocks(session, segment) - blocks <= BLOCKS_UNDER_LOCK) {
      return false;
    }
    sums = sums.plus(sums(session, blocks, blocks + SegmentCount.BLOCKS_TOGETHER));
    blocks += SegmentCount.BLOCKS_TOGETHER;
    return true;
  }

  /** Sums up what is left, and returns all. */
  Sums finish(Session session) throws SQLException {
    return sums.plus(sums(session, blocks, SegmentCount.NO_END));
  }

  private Sums sums(Session session, long from, long to) throws SQLException {
    return session
        .run(
            Call.query(
                ArchiveSql.SUMS.call(),
                ArchiveSql.SUMS.on("segment", segment),
                row -> new Sums(row.getLong(1), new BigInteger(row.getString(2)), row.getLong(3)),
                Place.startOf(from),
                Place.startOf(to)))
        .get(0);
  }
}
