package dev.rota.internal.db;

import dev.rota.internal.db.Backends.OtherHistoryException;
import dev.rota.internal.db.Backends.ServerHistory;
import dev.rota.internal.db.BoundStatement.Flush;
import dev.rota.internal.db.BoundStatement.Reply;
import dev.rota.internal.db.BoundStatement.RowCountException;
import dev.rota.internal.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jooq.DSLContext;
import org.jooq.Param;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * One transaction on one connection: the seam through which every statement goes. Not thread-safe.
 *
 * <p>The settings of each transaction travel with its first statement, in one flush. No part of
 * that flush can stay if its BEGIN fails. The driver's own BEGIN is a simple query in front of the
 * flush. When a cancel or a timeout ends it, the server continues behind it: the rest of the flush
 * runs outside of a transaction, and stays. Hence Rota's BEGIN is the first statement of the flush
 * itself. A pipeline tells the driver to add none; a text is sent in auto-commit mode for that.
 * When it fails, the server skips everything up to the end of the flush. In a caller's transaction
 * the driver's BEGIN may be in front; a savepoint follows it, which fails outside of a transaction.
 */
public final class Session {

  private static final Sql WAIT_BRIEFLY = Sql.named("wait_briefly");
  private static final Sql READ_LONG = Sql.named("read_long");

  private static final String COMMIT = "commit";

  /** The savepoint. Without a write in between it costs no transaction id. */
  private static final String GUARD = "savepoint rota_begun";

  private static final String END_OF_GUARD = "release savepoint rota_begun";

  private final Connection connection;
  private final StatementObserver observer;
  private final @Nullable StatementPipeline pipeline;
  private final List<BoundStatement<?>> prepended = new ArrayList<>();
  private final List<BoundStatement<Integer>> appended = new ArrayList<>();
  private final List<Runnable> afterwards = new ArrayList<>();
  private final List<BooleanSupplier> numbers = new ArrayList<>();
  private final ServerHistory history;
  private boolean begun;
  private boolean sendsBegin;
  private Backends.@Nullable Check check;
  private @Nullable TransactionSettings settings;

  /** Creates a session of Rota's own, on a connection that is not in auto-commit mode. */
  Session(
      Connection connection,
      StatementObserver observer,
      TransactionSettings settings,
      @Nullable StatementPipeline pipeline,
      ServerHistory history) {
    this.connection = connection;
    this.observer = observer;
    this.settings = settings;
    this.pipeline = pipeline;
    this.history = history;
  }

  private Session(Connection connection, StatementObserver observer) {
    this.connection = connection;
    this.observer = observer;
    this.pipeline = null;
    this.history = new ServerHistory();
  }

  /** Creates a session inside a transaction of the caller, whose settings are left as they are. */
  public static Session inCallersTransaction(Connection connection, StatementObserver observer) {
    return new Session(connection, observer);
  }

  /** Returns the same session with a check in its first flush that identifies the backend. */
  Session checking(Backends.@Nullable Check newCheck) {
    check = newCheck;
    return this;
  }

  /** The connection, for handlers that write in the same transaction. */
  public Connection connection() {
    return connection;
  }

  /** Runs one statement. */
  public <T> T run(BoundStatement<T> call) throws SQLException {
    List<T> results = runAll(List.of(call));
    return results.get(0);
  }

  /** Puts this statement before the next one or the COMMIT, in one flush; its reader is called. */
  public void prepend(BoundStatement<?> call) {
    prepended.add(call);
  }

  /** Puts this statement into the flush of the COMMIT; its result is not read. */
  public void appendToCommit(BoundStatement<Integer> call) {
    appended.add(call);
  }

  /**
   * Runs the last statements of the transaction, in the flush of the COMMIT where that is safe. It
   * is safe on a connection to one server by which an earlier transaction has met the present
   * history: numbers that were drawn in it are valid. A pooler may lead to another server by now.
   *
   * <p>A number of rows that differs is found after the COMMIT then. That happens once, and from
   * then on the COMMIT goes apart.
   */
  public void runLast(List<BoundStatement<Integer>> calls) throws SQLException {
    if (pipeline != null && settings != null && pipeline.mayCommitAlong(history::isPresent)) {
      checkNumbers();
      numbers.clear();
      appended.addAll(calls);
    } else {
      runAll(calls);
    }
  }

  /**
   * Rolls the transaction back if its numbers turn out to be of another history of the server.
   * Inside a transaction of the caller the check happens only now.
   *
   * @param valid whether the numbers are still of the present history
   */
  public void relyOn(BooleanSupplier valid) throws SQLException {
    numbers.add(valid);
    if (settings == null) {
      checkNumbers();
    }
  }

  private void checkNumbers() throws SQLException {
    for (BooleanSupplier valid : numbers) {
      if (!valid.getAsBoolean()) {
        throw new OtherHistoryException();
      }
    }
  }

  /** Records a value by which the database identifies the history of this transaction. */
  public void witness(ServerHistory.Witness witness, String value) throws SQLException {
    history.met(witness, value);
    checkNumbers();
  }

  /**
   * Runs the action once the transaction has committed; never inside a transaction of the caller.
   */
  public void afterCommit(Runnable action) {
    afterwards.add(action);
  }

  /** Runs the actions after the commit. */
  void committed() {
    afterwards.forEach(Runnable::run);
  }

  /** Commits, in one flush with the prepended and the appended statements. */
  void commit() throws SQLException {
    if (prepended.isEmpty() && appended.isEmpty()) {
      roundTrip(COMMIT, connection::commit);
    } else {
      appended.add(BoundStatement.update(COMMIT, COMMIT));
      commitAlong();
    }
  }

  private void commitAlong() throws SQLException {
    try {
      runAll(List.copyOf(appended));
    } catch (RowCountException e) {
      if (pipeline != null) {
        pipeline.commitApart();
      }
      throw e;
    }
  }

  /** Whether the COMMIT may have run although its flush failed in this way. */
  boolean mayHaveCommitted(SQLException failure) {
    return pipeline == null || !pipeline.endedBeforeLast(failure);
  }

  /** Rolls everything back. */
  void rollBack() throws SQLException {
    roundTrip("rollback", connection::rollback);
  }

  /** Sets a savepoint. */
  public Savepoint mark() throws SQLException {
    sendSettings();
    observer.before("mark savepoint");
    observer.sending(connection);
    Savepoint mark = connection.setSavepoint();
    observer.answered(connection);
    observer.after("mark savepoint");
    return mark;
  }

  /** Releases a savepoint; later changes stay. */
  public void release(Savepoint mark) throws SQLException {
    roundTrip("release savepoint", () -> connection.releaseSavepoint(mark));
  }

  /** Rolls back to a savepoint. */
  public void rollBackTo(Savepoint mark) throws SQLException {
    roundTrip("roll back to savepoint", () -> connection.rollback(mark));
  }

  private void roundTrip(String call, RoundTrip action) throws SQLException {
    observer.before(call);
    observer.sending(connection);
    action.run();
    observer.answered(connection);
    observer.after(call);
  }

  /** An operation for which the driver has its own method. */
  @FunctionalInterface
  private interface RoundTrip {
    void run() throws SQLException;
  }

  /** Sends several statements in one flush and reads their results, in this order. */
  public <T> List<T> runAll(List<BoundStatement<T>> calls) throws SQLException {
    Flush flush = new Flush();
    begin(flush);
    @Nullable Reply<List<String>> serverStart = settings == null ? null : settings.pin(flush);
    for (BoundStatement<?> call : prepended) {
      observer.before(call.name());
      flush.add(call);
    }
    List<Reply<T>> replies = new ArrayList<>(calls.size());
    for (BoundStatement<T> call : calls) {
      observer.before(call.name());
      replies.add(flush.add(call));
    }
    observer.sending(connection);
    send(flush, pipeline);
    settings = null;
    observer.answered(connection);
    recognise(serverStart);
    for (BoundStatement<?> call : prepended) {
      observer.after(call.name());
    }
    prepended.clear();
    for (BoundStatement<T> call : calls) {
      observer.after(call.name());
    }
    return replies.stream().map(Reply::get).toList();
  }

  /** As {@link #runAll}, in several flushes where one may be more than the sockets hold. */
  public <T> List<T> runInRounds(List<BoundStatement<T>> calls) throws SQLException {
    List<T> results = new ArrayList<>(calls.size());
    for (List<BoundStatement<T>> round :
        BoundStatement.rounds(
            calls, text -> pipeline != null && pipeline.prepared().isKept(text))) {
      results.addAll(runAll(round));
    }
    return results;
  }

  private void begin(Flush flush) throws SQLException {
    if (!begun) {
      addBegin(flush);
    }
    if (check != null && (settings == null || !settings.isSnapshot())) {
      check.addTo(flush);
    }
  }

  private void addBegin(Flush flush) throws SQLException {
    boolean open = isOpen();
    if (settings != null) {
      sendsBegin = !open;
      flush.add(open ? settings.mode() : settings.opening());
    } else if (!open && !connection.getAutoCommit()) {
      flush.add(GUARD);
      flush.add(END_OF_GUARD);
    }
  }

  /** Whether a transaction is open; a pool may begin one when it sets up a connection. */
  private boolean isOpen() throws SQLException {
    return connection.isWrapperFor(BaseConnection.class)
        && connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE;
  }

  private void recognise(@Nullable Reply<List<String>> serverStart) throws SQLException {
    if (serverStart != null) {
      String start = serverStart.get().get(0);
      if (pipeline != null) {
        pipeline.serverStart(start);
      }
      witness(ServerHistory.Witness.SERVER_START, start);
    }
  }

  private void send(Flush flush, @Nullable StatementPipeline wanted) throws SQLException {
    StatementPipeline way = flush.isForPipeline() ? wanted : null;
    if (sendsBegin && way == null) {
      runInAutoCommitMode(flush);
    } else {
      flush.run(connection, way);
    }
    begun = true;
    sendsBegin = false;
    if (check != null) {
      check.decide();
      check = null;
    }
  }

  private void runInAutoCommitMode(Flush flush) throws SQLException {
    connection.setAutoCommit(true);
    try {
      flush.run(connection, null);
    } catch (SQLException | RuntimeException | Error e) {
      leaveAutoCommitMode(e);
      throw e;
    }
    connection.setAutoCommit(false);
  }

  /** Leaves auto-commit mode. A broken connection no longer has a mode. */
  private void leaveAutoCommitMode(Throwable reason) {
    try {
      connection.setAutoCommit(false);
    } catch (SQLException e) {
      reason.addSuppressed(e);
    }
  }

  /** Returns jOOQ on this connection, for statements outside the hot path. */
  public DSLContext dsl() throws SQLException {
    sendSettings();
    return ObservingListener.context(connection, observer);
  }

  /** Runs statements that take no values, such as DDL, in one flush. */
  public void execute(String call, List<String> statements) throws SQLException {
    defines(statements.size());
    runAll(statements.stream().map(statement -> BoundStatement.update(call, statement)).toList());
  }

  /** Records that statements define tables or views: the backend remembers them. */
  public void defines(int statements) {
    if (pipeline != null) {
      pipeline.prepared().defined(statements);
    }
  }

  /** Records how many of all tables of its sort a statement opens: the backend remembers them. */
  public void opens(int tables, int all) {
    if (pipeline != null) {
      pipeline.prepared().opened(tables, all);
    }
  }

  /** Ensures that the settings of this transaction are in force. */
  public void sendSettings() throws SQLException {
    if (settings != null) {
      Flush flush = new Flush();
      begin(flush);
      @Nullable Reply<List<String>> serverStart = settings.pin(flush);
      roundTrip("settings", () -> send(flush, pipeline));
      settings = null;
      recognise(serverStart);
    }
  }

  /** Waits only briefly for locks from here on: a producer may hold a row of one task for long. */
  public void waitBriefly() {
    prepend(BoundStatement.query(WAIT_BRIEFLY, row -> true));
  }

  /** Allows each statement ten minutes, in the rest of a transaction that reads a whole table. */
  public void readLong() {
    prepend(BoundStatement.query(READ_LONG, row -> true));
  }

  /** Runs one statement under the settings of the pool, before those of Rota are in force. */
  public <T> T runUnderPoolsSettings(BoundStatement<T> call) throws SQLException {
    Flush flush = new Flush();
    begin(flush);
    Reply<T> reply = flush.add(call);
    roundTrip(call.name(), () -> send(flush, null));
    return reply.get();
  }

  /**
   * The settings that every transaction of Rota makes for itself, on its own pool and on the host's
   * alike.
   *
   * <p>JIT is off. Up to PostgreSQL 17 a disabled sequential scan counts as very expensive. So even
   * a scan of an empty table is compiled first, for 50 ms.
   *
   * <p>{@code enable_seqscan = off} must hold whenever a claim is planned (see {@code
   * hot-path.sql}), and READ COMMITTED whenever a transaction waits for a lock and then reads.
   */
  public static final class TransactionSettings {

    private static final Sql PIN_SETTINGS = Sql.named("pin_settings");

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
     * @param longestSilence how long nothing may happen in a transaction before the server ends it.
     *     A process that stops in the middle of a claim, or whose machine is suddenly gone, holds
     *     the gates of its tenants until then
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

    /** Returns settings under which no statement runs longer than this. */
    TransactionSettings atMost(Duration longest) {
      Duration timeout = longest.compareTo(statementTimeout) < 0 ? longest : statementTimeout;
      return new TransactionSettings(lockTimeout, timeout, longestSilence, seqScans, snapshot);
    }

    /**
     * Returns settings for a read-only transaction as of one moment, which is that of its first
     * query. Tables that are locked before are read as of their lock. So no setting is made by a
     * query here.
     */
    public TransactionSettings asSnapshot() {
      return new TransactionSettings(
          lockTimeout, statementTimeout, statementTimeout, seqScans, true);
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
     * Makes the settings, again after other code used the transaction; returns the server's start
     * time.
     */
    public BoundStatement<List<String>> pinning() {
      return BoundStatement.query(PIN_SETTINGS.call(), pins, row -> row.getString(SERVER_START));
    }
  }

  /**
   * Observes every call that Rota makes to the database, each by its name, and may refuse it. For
   * tests that number, delay, fail or kill calls; does nothing otherwise.
   *
   * <p>Several calls may share a round trip. {@link #before} announces each, and {@link #sending}
   * reports that they leave together. {@link #answered} reports that the server has answered, and
   * {@link #after} follows for each.
   */
  public interface StatementObserver {

    /** An observer that does nothing. */
    StatementObserver NONE = new StatementObserver() {};

    /** Called before a call is sent. */
    default void before(String call) throws SQLException {}

    /** Called before the announced calls leave on this connection, in one round trip. */
    default void sending(Connection connection) throws SQLException {}

    /** Called after the server has answered that round trip, and before the answer is read. */
    default void answered(Connection connection) throws SQLException {}

    /** Called after the answer to a call arrived. */
    default void after(String call) throws SQLException {}
  }
}
