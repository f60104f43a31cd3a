package dev.rota.transfer.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.transfer.TransferException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jooq.impl.DSL;

/**
 * Moves the sequence of task ids forward, beyond the ids of an imported tenant. {@code setval}
 * could move it back if other sessions draw at that moment, so they have to wait. Thread-safe.
 */
final class TaskIds {

  private static final Sql READ_LAST_ID = Sql.named("read_last_id");
  private static final Sql HOLD_SEQUENCE = Sql.named("hold_sequence");
  private static final Sql MOVE_SEQUENCE = Sql.named("move_sequence");

  /** The increment of the sequence. */
  private static final long BLOCK = 1_024;

  private static final int TRIES = 20;

  private final Database database;
  private final RegistryTables tables;

  TaskIds(Database database, RegistryTables tables) {
    this.database = database;
    this.tables = tables;
  }

  /** Makes the sequence return only greater ids from now on. */
  void skipTo(long last) throws SQLException {
    String purpose = "move the sequence of task ids beyond " + last;
    for (int attempt = 1; ; attempt++) {
      try {
        boolean unused = database.tryTransaction(purpose, session -> skipTo(session, last));
        return;
      } catch (SQLException e) {
        if (SqlErrors.isForbidden(e)) {
          throw new TransferException(
              purpose + ": only the owner of the registry may; log in as the role that migrates",
              e);
        }
        if (attempt == TRIES || !SqlErrors.isLockConflict(e)) {
          throw e;
        }
      }
    }
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
