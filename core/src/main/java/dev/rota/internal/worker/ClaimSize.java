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
 * The number of tenants from which one transaction claims, 12 to 50. Each takes five locks until
 * the commit. The claims of all workers together take up to a quarter of the server's locks.
 * Thread-safe.
 *
 * <p>Beginning and committing costs as much as a few claims of 10 tasks. A claim took 114 µs of the
 * server with fifty tenants together, and 134 with twelve.
 */
final class ClaimSize {

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
