package dev.rota.internal.db;

import dev.rota.internal.db.BoundStatement.Flush;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * Begins a transaction so that no part of its first flush can stay if its BEGIN fails. Used once.
 *
 * <p>The driver's own BEGIN is a simple query in front of the flush. When a cancel or a timeout
 * ends it, the server continues behind it: the rest of the flush runs outside of a transaction, and
 * stays. Hence Rota's BEGIN is the first statement of the flush itself. A pipeline tells the driver
 * to add none; a text is sent in auto-commit mode for that. When it fails, the server skips
 * everything up to the end of the flush. In a transaction of the caller the driver's BEGIN may be
 * in front; a savepoint follows it, which fails outside of a transaction.
 *
 * <p>An otherwise empty transaction takes 44 µs this way, and 58 with the driver's BEGIN, with or
 * without a savepoint. With LOCK TABLE or DECLARE behind it, which fail as well, it takes 57.
 */
final class TransactionStart {

  /** The savepoint. Without a write in between it costs no transaction id. */
  private static final String GUARD = "savepoint rota_begun";

  private static final String END_OF_GUARD = "release savepoint rota_begun";

  private final Connection connection;
  private final @Nullable TransactionSettings own;
  private boolean begins;

  private TransactionStart(Connection connection, @Nullable TransactionSettings own) {
    this.connection = connection;
    this.own = own;
  }

  /** Begins a transaction of Rota's own, on a connection that is not in auto-commit mode. */
  static TransactionStart ofOwn(Connection connection, TransactionSettings settings) {
    return new TransactionStart(connection, settings);
  }

  /** Begins in the state of the caller's connection: a transaction, or auto-commit mode. */
  static TransactionStart ofCallers(Connection connection) {
    return new TransactionStart(connection, null);
  }

  /** Adds the first statements of the flush. */
  void addTo(Flush flush) throws SQLException {
    boolean open = isOpen();
    if (own != null) {
      begins = !open;
      flush.add(open ? own.mode() : own.opening());
    } else if (!open && !connection.getAutoCommit()) {
      flush.add(GUARD);
      flush.add(END_OF_GUARD);
    }
  }

  /** Sends that flush. */
  void run(Flush flush, @Nullable StatementPipeline pipeline) throws SQLException {
    if (pipeline != null) {
      flush.run(connection, pipeline);
    } else if (begins) {
      connection.setAutoCommit(true);
      runWithoutDriversBegin(flush);
    } else {
      flush.run(connection, null);
    }
  }

  private void runWithoutDriversBegin(Flush flush) throws SQLException {
    try {
      flush.run(connection, null);
    } catch (SQLException | RuntimeException | Error e) {
      leaveAutoCommit(e);
      throw e;
    }
    connection.setAutoCommit(false);
  }

  /** Leaves auto-commit mode. A broken connection no longer has a mode. */
  private void leaveAutoCommit(Throwable reason) {
    try {
      connection.setAutoCommit(false);
    } catch (SQLException e) {
      reason.addSuppressed(e);
    }
  }

  /**
   * Whether a transaction is open. Also checked before a transaction of Rota: a pool may begin one
   * when it sets up a connection.
   */
  private boolean isOpen() throws SQLException {
    return connection.isWrapperFor(BaseConnection.class)
        && connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE;
  }
}
