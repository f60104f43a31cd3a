package dev.rota.internal.db;

import dev.rota.internal.db.BoundStatement.Flush;
import dev.rota.internal.db.BoundStatement.Reply;
import dev.rota.internal.sql.Sql;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jooq.Param;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

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
}
