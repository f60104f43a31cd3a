package dev.rota.internal.db;

import dev.rota.internal.db.BoundStatement.Flush;
import dev.rota.internal.db.BoundStatement.Reply;
import dev.rota.internal.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jooq.Param;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * The settings that every transaction of Rota makes for itself, on its own pool and on the host's
 * alike.
 *
 * <p>JIT is off. Up to PostgreSQL 17 a disabled sequential scan counts as very expensive. So even a
 * scan of an empty table is compiled first, for 50 ms.
 *
 * <p>{@code enable_seqscan = off} must hold whenever a claim is planned (see {@code hot-path.sql}),
 * and READ COMMITTED whenever a transaction waits for a lock and then reads.
 */
public final class TransactionSettings {

  private static final Sql PIN_SETTINGS = Sql.named("pin_settings");
  private static final Sql WAIT_BRIEFLY = Sql.named("wait_briefly");
  private static final Sql READ_LONG = Sql.named("read_long");

  private static final int SERVER_START = 8;
  private static final String MODE = "isolation level read committed";
  private static final String SNAPSHOT_MODE = "isolation level repeatable read, read only";

  private final Duration lockTimeout;
  private final Duration statementTimeout;
  private final Duration longestSilence;
  private final boolean seqScans;
  private final boolean snapshot;
  private final String pins;

  /**
   * Creates the settings of the hot path.
   *
   * @param longestSilence how long nothing may happen in a transaction before the server ends it. A
   *     process that stops in the middle of a claim, or whose machine is suddenly gone, holds the
   *     gates of its tenants until then
   */
  public TransactionSettings(
      Duration lockTimeout, Duration statementTimeout, Duration longestSilence) {
    this(lockTimeout, statementTimeout, longestSilence, false, false);
  }

  private TransactionSettings(
      Duration lockTimeout,
      Duration statementTimeout,
      Duration longestSilence,
      boolean seqScans,
      boolean snapshot) {
    this.lockTimeout = lockTimeout;
    this.statementTimeout = statementTimeout;
    this.longestSilence = longestSilence;
    this.seqScans = seqScans;
    this.snapshot = snapshot;
    this.pins =
        PIN_SETTINGS.on(
            Map.of(
                "seq_scans", DSL.inline(seqScans ? "on" : "off"),
                "plan_cache_mode", DSL.inline(seqScans ? "auto" : "force_generic_plan"),
                "lock_timeout", millis(lockTimeout),
                "statement_timeout", millis(statementTimeout),
                "longest_silence", millis(longestSilence)));
  }

  private static Param<String> millis(Duration duration) {
    return DSL.inline(Long.toString(duration.toMillis()));
  }

  /**
   * Returns settings for statements that read whole tables.
   *
   * @param timeout for each statement, and for the processing of its rows before the next one
   */
  public TransactionSettings forReading(Duration timeout) {
    return new TransactionSettings(lockTimeout, timeout, timeout, true, snapshot);
  }

  /** Returns a copy with another limit for waiting for locks. */
  public TransactionSettings withLockTimeout(Duration timeout) {
    return new TransactionSettings(timeout, statementTimeout, longestSilence, seqScans, snapshot);
  }

  /**
   * Returns settings for a read-only transaction as of one moment, which is that of its first
   * query. Tables that are locked before are read as of their lock. So no setting is made by a
   * query here.
   */
  public TransactionSettings asSnapshot() {
    return new TransactionSettings(lockTimeout, statementTimeout, statementTimeout, seqScans, true);
  }

  boolean isSnapshot() {
    return snapshot;
  }

  /**
   * Whether plans may be kept that are made in this transaction. A plan that is made for reading
   * whole tables would also serve the hot path.
   */
  boolean keepsPlans() {
    return !snapshot && !seqScans;
  }

  /** The statement that begins a transaction, the first of its flush. */
  String opening() {
    return "begin " + (snapshot ? SNAPSHOT_MODE : MODE);
  }

  /** The first statement after BEGIN. */
  String mode() {
    return "set transaction " + (snapshot ? SNAPSHOT_MODE : MODE);
  }

  /**
   * Makes the settings.
   *
   * @return the reply with the server's start time; null for a snapshot, which takes no query of
   *     Rota
   */
  @Nullable Reply<List<String>> pin(Flush flush) {
    if (snapshot) {
      flush.add("set local jit = off");
      flush.add("set local lock_timeout = " + lockTimeout.toMillis());
      flush.add("set local statement_timeout = " + statementTimeout.toMillis());
      flush.add("set local idle_in_transaction_session_timeout = " + longestSilence.toMillis());
      flush.add("set local search_path = pg_catalog");
      return null;
    }
    return flush.add(pinning());
  }

  /**
   * Sets a short lock timeout for the rest of a transaction that settles batches. A producer may
   * hold a row for long that the end of one task changes, and other batches must not wait for it.
   */
  public static BoundStatement<List<Boolean>> waitingBriefly() {
    return BoundStatement.query(WAIT_BRIEFLY, row -> true);
  }

  /**
   * Sets a statement timeout of ten minutes for the rest of a transaction that must read a whole
   * table.
   */
  public static BoundStatement<List<Boolean>> readingLong() {
    return BoundStatement.query(READ_LONG, row -> true);
  }

  /**
   * Makes the settings, again after other code used the transaction; returns the server's start
   * time.
   */
  public BoundStatement<List<String>> pinning() {
    return BoundStatement.query(PIN_SETTINGS.call(), pins, row -> row.getString(SERVER_START));
  }

  /**
   * Begins a transaction so that no part of its first flush can stay if its BEGIN fails. Used once.
   *
   * <p>The driver's own BEGIN is a simple query in front of the flush. When a cancel or a timeout
   * ends it, the server continues behind it: the rest of the flush runs outside of a transaction,
   * and stays. Hence Rota's BEGIN is the first statement of the flush itself. A pipeline tells the
   * driver to add none; a text is sent in auto-commit mode for that. When it fails, the server
   * skips everything up to the end of the flush. In a transaction of the caller the driver's BEGIN
   * may be in front; a savepoint follows it, which fails outside of a transaction.
   *
   * <p>An otherwise empty transaction takes 44 µs this way, and 58 with the driver's BEGIN, with or
   * without a savepoint. With LOCK TABLE or DECLARE behind it, which fail as well, it takes 57.
   */
  static final class Start {

    /** The savepoint. Without a write in between it costs no transaction id. */
    private static final String GUARD = "savepoint rota_begun";

    private static final String END_OF_GUARD = "release savepoint rota_begun";

    private final Connection connection;
    private final @Nullable TransactionSettings own;
    private boolean begins;

    private Start(Connection connection, @Nullable TransactionSettings own) {
      this.connection = connection;
      this.own = own;
    }

    /** Begins a transaction of Rota's own, on a connection that is not in auto-commit mode. */
    static Start ofOwn(Connection connection, TransactionSettings settings) {
      return new Start(connection, settings);
    }

    /** Begins in the state of the caller's connection: a transaction, or auto-commit mode. */
    static Start ofCallers(Connection connection) {
      return new Start(connection, null);
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
     * Whether a transaction is open. Also checked before a transaction of Rota: a pool may begin
     * one when it sets up a connection.
     */
    private boolean isOpen() throws SQLException {
      return connection.isWrapperFor(BaseConnection.class)
          && connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE;
    }
  }
}
