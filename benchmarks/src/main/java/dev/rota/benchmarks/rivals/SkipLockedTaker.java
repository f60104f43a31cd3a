package dev.rota.benchmarks.rivals;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

/**
 * Takes and finishes tasks of the queue on one connection. Used by one thread.
 *
 * <ul>
 *   <li>The previous tasks are finished together with the next take: one round trip and one commit
 *       instead of two.
 *   <li>A take looks only behind the previous tasks of this taker, so that it does not walk over
 *       the dead entries before. Now and then, and when nothing is left, it looks from the start,
 *       since producers may have committed behind it.
 *   <li>Plans are made once: with its limit as a parameter the take is planned again each time.
 * </ul>
 */
final class SkipLockedTaker implements AutoCloseable {

  private static final String FINISH_AND_TAKE =
      """
      update task set status = 2 where id = any (?::bigint[]);
      update task set status = 1 where id = any (array(
        select id from task where status = 0 and id > ? order by id limit %d
           for update skip locked))
      returning id, tenant, payload""";

  private static final int TAKES_BETWEEN_LOOKS_FROM_START = 1_000;
  private static final long REST_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  private final Connection connection;
  private final PreparedStatement finishAndTake;
  private long[] taken = {};
  private long behind;
  private int takes;

  /**
   * Creates a taker on a separate connection.
   *
   * @param together how many tasks are taken at once
   */
  SkipLockedTaker(String url, int together) throws SQLException {
    this.connection = Jdbc.connect(url);
    try (Statement statement = connection.createStatement()) {
      statement.execute("set plan_cache_mode = force_generic_plan");
      statement.execute("set enable_seqscan = off");
      statement.execute("set jit = off");
    }
    this.finishAndTake = connection.prepareStatement(FINISH_AND_TAKE.formatted(together));
  }

  /** Works until all takers together have finished the remaining tasks. */
  void drain(AtomicLong left) throws SQLException {
    while (left.get() > 0) {
      int finished = taken.length;
      finishAndTake();
      left.addAndGet(-finished);
      if (finished + taken.length == 0) {
        LockSupport.parkNanos(REST_NANOS);
      }
    }
  }

  private void finishAndTake() throws SQLException {
    if (taken.length == 0 || ++takes % TAKES_BETWEEN_LOOKS_FROM_START == 0) {
      behind = 0;
    }
    finishAndTake.setObject(1, taken);
    finishAndTake.setLong(2, behind);
    finishAndTake.execute();
    finishAndTake.getMoreResults();
    try (ResultSet rows = finishAndTake.getResultSet()) {
      taken = read(rows);
    }
    behind = Arrays.stream(taken).max().orElse(0);
  }

  private static long[] read(ResultSet rows) throws SQLException {
    LongStream.Builder ids = LongStream.builder();
    while (rows.next()) {
      rows.getInt(2);
      rows.getString(3);
      ids.add(rows.getLong(1));
    }
    return ids.build().toArray();
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
