package dev.rota.internal.enqueue;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.log.Logs;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.slf4j.Logger;

/**
 * Allocates ids of one sequence, drawn in blocks of its increment, so that a producer knows its ids
 * without a query. Thread-safe.
 */
public final class IdAllocator {

  private static final Sql DRAW_IDS = Sql.named("draw_ids");

  private static final Logger log = Logs.of(IdAllocator.class);

  private static final int MOST_BLOCKS_AHEAD = 64;

  /** The most blocks that one statement draws unless more are asked for. */
  private static final int MOST_DRAWN = 10_000;

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
  private long lastDrawn;
  private long highest;
  private final AtomicInteger generation = new AtomicInteger();
  private long refilledAt = System.nanoTime() - LONG_NANOS;
  private volatile int blocksAhead = 1;

  /**
   * Creates the allocator of a sequence.
   *
   * @param sequence its quoted name
   * @param blockSize its increment; each value of it is the last id of a block
   */
  public IdAllocator(Database database, String sequence, int blockSize, Executor background) {
    this.database = database;
    this.sequence = sequence;
    this.blockSize = blockSize;
    this.background = background;
  }

  /**
   * Takes ids for a transaction, in ascending order within each block. The transaction is rolled
   * back if they turn out to be those of another history of the server. They are in memory already
   * unless more than a block is taken at once. Then they are drawn on the transaction's own
   * connection, since waiting for another one while it holds this one could exhaust a pool.
   */
  public long[] take(int count, Session session) throws SQLException {
    while (true) {
      long missing;
      int present;
      lock.lock();
      try {
        present = generation.get();
        missing = count - available;
        if (missing <= 0) {
          return handOut(count, session);
        }
      } finally {
        lock.unlock();
      }
      // Without the lock: a thread that waits for an answer must not delay threads that have ids.
      add(draw(session, missing), present);
    }
  }

  /**
   * Takes ids as {@link #take} does, but close together: of one block, or of blocks that one
   * statement draws. Blocks with too few ids left are given up, or more and more would gather.
   */
  public long[] takeTogether(int count, Session session) throws SQLException {
    List<Long> drawn = List.of();
    int present = generation.get();
    while (true) {
      lock.lock();
      try {
        giveUp(block -> block.size() < Math.min(count, blockSize));
        boolean fits = count <= blockSize && !blocks.isEmpty();
        if (addFirst(drawn, present) >= count || fits) {
          return handOut(count, session);
        }
        present = generation.get();
      } finally {
        lock.unlock();
      }
      drawn = draw(session, count);
    }
  }

  /**
   * Discards the drawn ids: the server may be in another history, in which other processes draw
   * them again. Ids that were drawn here are never returned twice, though the sequence may be
   * behind them.
   */
  public void forget() {
    lock.lock();
    try {
      generation.incrementAndGet();
      blocks.clear();
      available = 0;
      above = Math.max(above, highest);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns only greater ids from now on: a tenant was imported from another database with its ids.
   * The sequence is beyond them already.
   */
  public void skipTo(long last) {
    lock.lock();
    try {
      if (last > above) {
        above = last;
        giveUp(block -> block.next <= last);
      }
    } finally {
      lock.unlock();
    }
  }

  private void giveUp(Predicate<Block> useless) {
    if (blocks.removeIf(useless)) {
      available = blocks.stream().mapToLong(Block::size).sum();
    }
  }

  private long[] handOut(int count, Session session) throws SQLException {
    int present = generation.get();
    long[] ids = handOut(count);
    session.relyOn(() -> generation.get() == present);
    return ids;
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
      int present = generation.get();
      add(database.transaction("draw ids", session -> draw(session, ahead())), present);
    } catch (RuntimeException e) {
      // The next caller draws for itself and gets the error, if it lasts.
      log.debug("could not draw ids ahead of time", e);
    } finally {
      refilling.set(false);
    }
  }

  /**
   * Adapts the number of blocks: fast consumption draws more at a time; unused ids are lost with
   * the process.
   */
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
    long most = Math.max(MOST_DRAWN, (missing + blockSize - 1) / blockSize);
    long needed = Math.min(most, (missing + blockSize - 1 + behind()) / blockSize);
    return session.run(BoundStatement.query(DRAW_IDS, row -> row.getLong(1), sequence, needed));
  }

  /** How far the sequence was behind the ids to be returned; usually it is ahead. */
  private long behind() {
    lock.lock();
    try {
      return Math.max(0, above - lastDrawn);
    } finally {
      lock.unlock();
    }
  }

  private void add(List<Long> lastIds, int drawnIn) {
    lock.lock();
    try {
      for (Block block : usable(lastIds, drawnIn)) {
        blocks.addLast(block);
        available += blockSize;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Adds blocks before the others, and returns how many ids they have. */
  private long addFirst(List<Long> lastIds, int drawnIn) {
    List<Block> added = usable(lastIds, drawnIn);
    for (int i = added.size() - 1; i >= 0; i--) {
      blocks.addFirst(added.get(i));
      available += blockSize;
    }
    return (long) added.size() * blockSize;
  }

  /** The blocks that have just been drawn, without those that must not be handed out. */
  private List<Block> usable(List<Long> lastIds, int drawnIn) {
    List<Block> usable = new ArrayList<>();
    // Ids of another history prove nothing about this one.
    for (long last : drawnIn == generation.get() ? lastIds : List.<Long>of()) {
      lastDrawn = last;
      highest = Math.max(highest, last);
      if (last - blockSize >= above) {
        usable.add(new Block(last - blockSize + 1, last + 1));
      }
    }
    return usable;
  }

  private static final class Block {
    private long next;
    private final long end;

    Block(long next, long end) {
      this.next = next;
      this.end = end;
    }

    long size() {
      return end - next;
    }
  }
}
