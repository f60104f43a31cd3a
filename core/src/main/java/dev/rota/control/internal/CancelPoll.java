package dev.rota.control.internal;

import dev.rota.RotaException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * Looks up the cancel requests for the tasks that this process runs, at most once a second, when a
 * handler asks. Thread-safe.
 */
public final class CancelPoll {

  private static final Sql LOOK_FOR_CANCEL_REQUESTS = Sql.named("look_for_cancel_requests");

  private static final Logger log = Logs.of(CancelPoll.class);
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Database database;
  private final RegistryTables tables;
  private volatile Known known = new Known(Set.of(), System.nanoTime() - LOOK_NANOS);
  private boolean troubled;

  private record Known(Set<Request> requests, long lookedAt) {

    boolean isFresh() {
      return System.nanoTime() - lookedAt < LOOK_NANOS;
    }
  }

  private record Request(long batch, long task) {}

  public CancelPoll(Database database, RegistryTables tables) {
    this.database = database;
    this.tables = tables;
  }

  /**
   * Whether cancellation of a task was requested; its batch belongs to the given worker of this
   * process.
   */
  boolean isRequested(long worker, long batch, long task) {
    Known present = known;
    return (present.isFresh() ? present : look(worker)).requests.contains(new Request(batch, task));
  }

  private synchronized Known look(long worker) {
    if (!known.isFresh()) {
      long now = System.nanoTime();
      known = new Known(read(worker), now);
    }
    return known;
  }

  private Set<Request> read(long worker) {
    try {
      Set<Request> requests =
          new HashSet<>(
              database.transaction(
                  "look for cancel requests",
                  session ->
                      session.run(
                          BoundStatement.query(
                              LOOK_FOR_CANCEL_REQUESTS.call(),
                              LOOK_FOR_CANCEL_REQUESTS.on("requests", tables.cancelRequests()),
                              row -> new Request(row.getLong(1), row.getLong(2)),
                              worker))));
      troubled = false;
      return requests;
    } catch (RotaException e) {
      // The handler only asks for a flag; it need not fail because of this.
      if (!troubled) {
        log.warn("Rota cannot tell running tasks whether they were cancelled: {}", e.getMessage());
      }
      troubled = true;
      return known.requests;
    }
  }
}
