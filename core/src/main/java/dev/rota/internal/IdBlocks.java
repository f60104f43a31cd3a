package dev.rota.internal;

import dev.rota.internal.db.Call;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands out ids of one sequence, drawn in blocks of its increment, so that a producer knows its ids
 * without asking the database. Thread-safe.
 */
final class IdBlocks {

  private static final Logger log = LoggerFactory.getLogger(IdBlocks.class);

  private static final int MOST_BLOCKS_AHEAD = 64;
  private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Database database;
  private final String sequence;
  private final int blockSize;
  private final Executor background;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Block> blocks = new ArrayDeque<>();
  private final AtomicBoolean refilling = new AtomicBoolean();
  private long available;
  private long above;
  private long refilledAt = System.nanoTime() - LONG_NANOS;
  private volatile int blocksAhead = 1;

  /**
   * For a sequence.
   *
   * @param sequence its quoted name
   * @param blockSize its increment; each value of it is the last id of a block
   */
  IdBlocks(Database database, String sequence, int blockSize, Executor background) {
    this.database = database;
    this.sequence = sequence;
    this.blockSize = blockSize;
    this.background = background;
  }

  /** Ids in ascending order within each block, drawn on a connection of Rota's own if need be. */
  long[] take(int count) {
    return take(
        count, missing -> database.transaction("draw ids", session -> draw(session, missing)));
  }

  /**
   * Ids for the caller's transaction. They are in memory already unless the caller takes more than
   * a block at once; then they are drawn on the caller's own connection, since waiting for another
   * one while it holds this one could exhaust its pool.
   */
  long[] take(int count, Session callers) throws SQLException {
    return take(count, missing -> draw(callers, missing));
  }

  /**
   * From now on hands out greater ids only: a tenant has come from another database and brought
   * these along. The sequence is beyond them already.
   */
  void skipTo(long last) {
    lock.lock();
    try {
      if (last > above) {
        above = last;
        blocks.removeIf(block -> block.next <= last);
        available = blocks.stream().mapToLong(block -> block.end - block.next).sum();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Draws without the lock: who waits for a connection must not hold up who has one. */
  private <E extends Exception> long[] take(int count, Source<E> source) throws E {
    while (true) {
      long missing;
      lock.lock();
      try {
        missing = count - available;
        if (missing <= 0) {
          return handOut(count);
        }
      } finally {
        lock.unlock();
      }
      add(source.draw(missing));
    }
  }

  private long[] handOut(int count) {
    long[] ids = new long[count];
    int filled = 0;
    while (filled < count) {
      Block block = blocks.getFirst();
      while (filled < count && block.next < block.end) {
        ids[filled++] = block.next++;
      }
      if (block.next == block.end) {
        blocks.removeFirst();
      }
    }
    available -= count;
    if (available < ahead() / 2 && refilling.compareAndSet(false, true)) {
      background.execute(this::refill);
    }
    return ids;
  }

  private long ahead() {
    return (long) blockSize * blocksAhead;
  }

  private void refill() {
    try {
      adapt();
      add(database.transaction("draw ids", session -> draw(session, ahead())));
    } catch (RuntimeException e) {
      // The next caller draws for itself and gets the error, if it lasts.
      log.debug("could not draw ids ahead of time", e);
    } finally {
      refilling.set(false);
    }
  }

  /** Whoever takes ids fast gets more at a time; ids that nobody took are lost with the process. */
  private void adapt() {
    long now = System.nanoTime();
    long pause = now - refilledAt;
    if (pause < SHORT_NANOS) {
      blocksAhead = Math.min(2 * blocksAhead, MOST_BLOCKS_AHEAD);
    } else if (pause > LONG_NANOS) {
      blocksAhead = Math.max(1, blocksAhead / 2);
    }
    refilledAt = now;
  }

  private List<Long> draw(Session session, long missing) throws SQLException {
    long needed = (missing + blockSize - 1) / blockSize;
    return session.run(
        Call.query(
            "draw ids",
            "select nextval(?::regclass) from generate_series(1, ?::bigint)",
            row -> row.getLong(1),
            sequence,
            needed));
  }

  private void add(List<Long> lastIds) {
    lock.lock();
    try {
      for (long last : lastIds) {
        if (last - blockSize >= above) {
          blocks.addLast(new Block(last - blockSize + 1, last + 1));
          available += blockSize;
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Where missing ids come from. */
  @FunctionalInterface
  private interface Source<E extends Exception> {
    List<Long> draw(long missing) throws E;
  }

  private static final class Block {
    private long next;
    private final long end;

    Block(long next, long end) {
      this.next = next;
      this.end = end;
    }
  }
}
