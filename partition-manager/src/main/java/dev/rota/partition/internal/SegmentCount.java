package dev.rota.partition.internal;

import dev.rota.internal.db.Call;
import dev.rota.internal.db.DiscoverySql;
import dev.rota.internal.db.HistorySql;
import dev.rota.internal.db.Place;
import dev.rota.internal.db.Session;
import java.sql.SQLException;
import org.jooq.Name;

/**
 * How many rows a segment has that is to be dropped, counted in steps of some megabytes, the last
 * one under the lock of the drop. A row that a redrive moves meanwhile may be counted twice. Used
 * by one thread.
 */
final class SegmentCount {

  /** Thirty-two megabytes: counted in a fraction of a second. */
  static final long BLOCKS_TOGETHER = 4_096;

  /** Behind the last block that a table can have. */
  static final long NO_END = 4_294_967_294L;

  private final Name segment;
  private long blocks;
  private long rows;

  SegmentCount(Name segment) {
    this.segment = segment;
  }

  /** Counts a step, unless what is left is short enough for the last one. */
  boolean advance(Session session) throws SQLException {
    if (blocks(session, segment) - blocks <= BLOCKS_TOGETHER) {
      return false;
    }
    rows += count(session, blocks, blocks + BLOCKS_TOGETHER);
    blocks += BLOCKS_TOGETHER;
    return true;
  }

  /** Counts what is left, and returns the sum. */
  long finish(Session session) throws SQLException {
    return rows + count(session, blocks, NO_END);
  }

  private long count(Session session, long from, long to) throws SQLException {
    return session
        .run(
            Call.query(
                SegmentSql.COUNT.call(),
                SegmentSql.COUNT.on("segment", segment),
                row -> row.getLong(1),
                Place.startOf(from),
                Place.startOf(to)))
        .get(0);
  }

  /** How many blocks a segment has. */
  static long blocks(Session session, Name segment) throws SQLException {
    return session
        .run(
            Call.query(
                HistorySql.BLOCKS.call(),
                HistorySql.BLOCKS.text(),
                row -> row.getLong(1),
                DiscoverySql.text(segment)))
        .get(0);
  }
}
