package dev.rota.internal.worker;

import dev.rota.RotaException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * Computes how many tasks to hold ready: about half a second's worth at the rate at which handlers
 * finish them. So a fast worker takes many at a time, and a slow one leaves tasks to others.
 * Thread-safe.
 */
final class PrefetchLimit {

  private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final double SECONDS_READY = 0.5;
  private static final int GROWTH = 4;

  /**
   * The upper bound of tasks held ready: even with small batches, many tenants may have backlogs.
   */
  private static final int READY = 64_000;

  private static final int READY_BATCHES = 8;
  private static final int AT_ONCE = 12_000;

  /**
   * A claim costs the same for few tasks as for many, and at least this part of the target is worth
   * one: the rest of it is held.
   */
  private static final int PORTIONS = 8;

  private final int least;
  private final int most;
  private final int mostAtOnce;
  private final ClaimSize size;
  private final int batchSize;
  private double target;
  private long windowStart = System.nanoTime();
  private long finishedAtStart;
  private long finishedAtGrowth = -1;
  private long beingClaimed;
  private long beingClaimedBesides;

  PrefetchLimit(int concurrency, int batchSize, ClaimSize size) {
    this.size = size;
    this.batchSize = batchSize;
    this.least = concurrency;
    this.most = Math.max(Math.max(READY, READY_BATCHES * batchSize), concurrency);
    this.mostAtOnce = Math.max(Math.max(AT_ONCE, 4 * batchSize), concurrency);
    this.target = least;
  }

  /**
   * Returns how many more to claim. The caller reports the end of that claim by {@link #claimed}.
   *
   * @param waiting tasks that are held and not begun
   * @param finished tasks finished since the start
   */
  synchronized int wants(long waiting, long finished) {
    long now = System.nanoTime();
    if (now - windowStart >= WINDOW_NANOS) {
      double perSecond = (finished - finishedAtStart) * 1e9 / (now - windowStart);
      double ready = perSecond * SECONDS_READY;
      target = within(waiting == 0 ? Math.max(target, ready) : ready);
      windowStart = now;
      finishedAtStart = finished;
    }
    growIfStarved(waiting, finished);
    int wants = worthClaiming(target, waiting + beingClaimed);
    beingClaimed += wants;
    return wants;
  }

  /** The number of tasks to hold ready. */
  synchronized double target() {
    return target;
  }

  /**
   * Returns how many more to claim of tenants of which little is held, while the worker holds
   * enough in total. The backlog of one tenant must not exclude the others. In total as many as
   * there are handlers, or one portion of the target, because tasks held here are kept from other
   * workers. The caller reports the end of that claim by {@link #claimedBesides}.
   *
   * @param waiting tasks of such claims that are not begun
   */
  synchronized int wantsBesides(long waiting) {
    double most = Math.max(least, target / PORTIONS);
    int wants = worthClaiming(most, waiting + beingClaimedBesides);
    beingClaimedBesides += wants;
    return wants;
  }

  /** The number of tasks that are missing to a total; 0 if they are not worth a claim. */
  private int worthClaiming(double total, long held) {
    int missing = (int) Math.max(0, Math.min(mostAtOnce, total - held));
    return missing < Math.min(size.tenants() * batchSize, total / PORTIONS) ? 0 : missing;
  }

  /**
   * Grows the target after handlers ran out of tasks. They could have done more, by an unknown
   * amount, so it grows by much; once for each time that they ran out.
   */
  private void growIfStarved(long waiting, long finished) {
    if (waiting == 0 && finished - finishedAtGrowth >= target / 2) {
      finishedAtGrowth = finished;
      target = within(GROWTH * target);
    }
  }

  private double within(double wanted) {
    return Math.min(Math.max(wanted, least), most);
  }

  /** Records that a claim for this many tasks is over; its tasks count as waiting from now on. */
  synchronized void claimed(int wanted) {
    beingClaimed -= wanted;
  }

  /** Records that a claim of {@link #wantsBesides} for this many tasks is over. */
  synchronized void claimedBesides(int wanted) {
    beingClaimedBesides -= wanted;
  }

  /**
   * The number of tenants from which one transaction claims, 12 to 50. Each takes five locks until
   * the commit. The claims of all workers together take up to a quarter of the server's locks.
   * Thread-safe.
   *
   * <p>Beginning and committing costs as much as a few claims of 10 tasks. A claim took 114 µs of
   * the server with fifty tenants together, and 134 with twelve.
   */
  static final class ClaimSize {

    private static final Logger log = Logs.of(ClaimSize.class);

    private static final Sql ROOM_FOR_CLAIMS = Sql.named("room_for_claims");

    private static final int FEWEST = 12;
    private static final int MOST = 50;
    private static final int LOCKS_OF_A_TENANT = 5;

    /** Claims take one of so many parts of all locks. */
    private static final int PARTS = 4;

    private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final String text;
    private final AtomicLong readAt = new AtomicLong(System.nanoTime() - REFRESH_NANOS);
    private volatile int tenants = FEWEST;

    ClaimSize(RegistryTables tables) {
      this.text = ROOM_FOR_CLAIMS.on("workers", tables.workers());
    }

    /** The number of tenants, as of the last look. */
    int tenants() {
      return tenants;
    }

    /**
     * Looks at the server if the last look was some time ago. Called after a claim: before it, a
     * fetcher must not keep a connection that the worker needs to be registered.
     */
    void refresh(Database database) {
      long last = readAt.get();
      long now = System.nanoTime();
      if (now - last >= REFRESH_NANOS && readAt.compareAndSet(last, now)) {
        try {
          tenants = read(database);
        } catch (RotaException e) {
          log.debug("the size of the lock table could not be read", e);
        }
      }
    }

    private int read(Database database) {
      return database.transaction(
          "read the size of the lock table",
          session ->
              session
                  .run(
                      BoundStatement.query(
                          ROOM_FOR_CLAIMS.call(), text, row -> of(row.getLong(1), row.getLong(2))))
                  .get(0));
    }

    /** The number of tenants for a number of locks and of workers. */
    static int of(long locks, long workers) {
      long claims = Math.max(1, workers) * LeasedDelivery.FETCHERS;
      return (int) Math.max(FEWEST, Math.min(MOST, locks / PARTS / LOCKS_OF_A_TENANT / claims));
    }
  }
}
