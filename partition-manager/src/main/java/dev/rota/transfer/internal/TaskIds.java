package dev.rota.transfer.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.transfer.TransferException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jooq.impl.DSL;

/**
 * Moves the sequence of task ids forward, beyond the ids of an imported tenant. {@code setval}
 * could move it back if other sessions draw at that moment, so they have to wait. Thread-safe.
 */
final class TaskIds {

  private static final Sql READ_LAST_ID = Sql.named("read_last_id");
  private static final Sql HOLD_SEQUENCE = Sql.named("hold_sequence");
  private static final Sql MOVE_SEQUENCE = Sql.named("move_sequence");
  private static final Sql FIND_HOLDER_OF_SEQUENCE = Sql.named("find_holder_of_sequence");

  /** The increment of the sequence. */
  private static final long BLOCK = 1_024;

  /** The lock timeout: all sessions that draw ids meanwhile wait behind this one. */
  private static final Duration LOCK_TIMEOUT = Duration.ofMillis(100);

  /** Between two tries the sessions that were behind this one go on. */
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(200);

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Database database;
  private final RegistryTables tables;
  private final Duration patience;

  TaskIds(Database database, RegistryTables tables) {
    this(database, tables, PATIENCE);
  }

  /**
   * Creates the task ids.
   *
   * @param patience how long to try while other sessions hold the sequence
   */
  TaskIds(Database database, RegistryTables tables, Duration patience) {
    this.database = database.withLockTimeout(LOCK_TIMEOUT);
    this.tables = tables;
    this.patience = patience;
  }

  /** Makes the sequence return only greater ids from now on. */
  void skipTo(long last) throws SQLException {
    String purpose = "move the sequence of task ids beyond " + last;
    long startedAt = System.nanoTime();
    for (; ; ) {
      try {
        boolean unused = database.tryTransaction(purpose, session -> skipTo(session, last));
        return;
      } catch (SQLException e) {
        if (SqlErrors.isForbidden(e)) {
          throw new TransferException(
              purpose + ": only the owner of the registry may; log in as the role that migrates",
              e);
        }
        if (!SqlErrors.isLockConflict(e)) {
          throw e;
        }
        if (System.nanoTime() - startedAt >= patience.toNanos()) {
          throw held(purpose, e);
        }
      }
      LockSupport.parkNanos(
          ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE.toNanos(), LONGEST_PAUSE.toNanos()));
    }
  }

  private TransferException held(String purpose, SQLException e) throws SQLException {
    List<String> holders =
        database.tryTransaction(
            "find the holder of the sequence of task ids",
            session ->
                session.run(
                    BoundStatement.query(
                        FIND_HOLDER_OF_SEQUENCE,
                        row -> row.getString(1),
                        tables.sequence("task_id"))));
    return new TransferException(
        purpose
            + ": "
            + (holders.isEmpty() ? "another session" : holders.get(0))
            + " holds the sequence in a transaction, as rota.enqueue does until its commit; end"
            + " that transaction, and repeat the call",
        e);
  }

  private boolean skipTo(Session session, long last) throws SQLException {
    if (position(session) >= last) {
      return false;
    }
    String sequence = tables.sequence("task_id");
    session.execute(
        HOLD_SEQUENCE.call(), List.of(HOLD_SEQUENCE.on(Map.of("sequence", DSL.sql(sequence)))));
    if (position(session) < last) {
      long next = (last / BLOCK + 2) * BLOCK;
      session.execute(
          MOVE_SEQUENCE.call(),
          List.of(
              MOVE_SEQUENCE.on(Map.of("sequence", DSL.sql(sequence), "next", DSL.inline(next)))));
    }
    return true;
  }

  private long position(Session session) throws SQLException {
    return session
        .run(
            BoundStatement.query(
                READ_LAST_ID.call(),
                READ_LAST_ID.on(Map.of("task_ids", DSL.inline(tables.sequence("task_id")))),
                row -> row.getLong(1)))
        .get(0);
  }
}
