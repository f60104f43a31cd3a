package dev.rota.internal.db;

import dev.rota.DatabaseException;
import dev.rota.RotaException;
import dev.rota.internal.db.Backends.OtherHistoryException;
import dev.rota.internal.db.Backends.ServerHistory;
import dev.rota.internal.db.BoundStatement.RowCountException;
import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.internal.db.Session.TransactionSettings;
import dev.rota.internal.log.Logs;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jooq.exception.DataAccessException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Borrows connections, and runs transactions with the settings that Rota relies on. Thread-safe.
 */
public final class Database {

  private static final Logger log = Logs.of(Database.class);

  private static final Duration READING_TIMEOUT = Duration.ofMinutes(10);

  /** How long the thread waits for each statement and connection, where it has such a limit. */
  private static final ThreadLocal<@Nullable Duration> LONGEST = new ThreadLocal<>();

  private final DataSource dataSource;
  private final @Nullable PinnedConnection kept;
  private final TransactionSettings settings;
  private final StatementObserver observer;
  private final Backends backends;

  /** Creates a database over a pool, with the settings of each transaction. */
  public Database(DataSource dataSource, TransactionSettings settings, StatementObserver observer) {
    this(dataSource, null, settings, observer, new Backends());
  }

  private Database(
      DataSource dataSource,
      @Nullable PinnedConnection kept,
      TransactionSettings settings,
      StatementObserver observer,
      Backends backends) {
    this.dataSource = dataSource;
    this.kept = kept;
    this.settings = settings;
    this.observer = observer;
    this.backends = backends;
  }

  /** The server history that the transactions are in. */
  public ServerHistory history() {
    return backends.history();
  }

  public DataSource dataSource() {
    return dataSource;
  }

  public StatementObserver observer() {
    return observer;
  }

  /** Returns the same pool, for statements that read whole tables and may run longer. */
  public Database forReading(Duration timeout) {
    return new Database(dataSource, kept, settings.forReading(timeout), observer, backends);
  }

  /** Returns the same pool, for statements that read much. */
  public Database readings() {
    return forReading(READING_TIMEOUT);
  }

  /** Returns the same pool, for statements that wait for locks no longer than this. */
  public Database withLockTimeout(Duration timeout) {
    return new Database(dataSource, kept, settings.withLockTimeout(timeout), observer, backends);
  }

  /** Returns the same pool, for transactions that read everything as of one moment. */
  public Database asSnapshot() {
    return new Database(dataSource, kept, settings.asSnapshot(), observer, backends);
  }

  /** Returns a connection of the same pool for one thread to keep; see {@link #on}. */
  public PinnedConnection keepConnection() {
    return new PinnedConnection(dataSource, System::nanoTime);
  }

  /** Returns the same database over a connection that the calling thread keeps. */
  public Database on(PinnedConnection keptConnection) {
    return new Database(dataSource, keptConnection, settings, observer, backends);
  }

  /**
   * Runs one transaction.
   *
   * @param purpose the operation and its object, for error messages
   * @throws RotaException if it failed; nothing is committed then, unless the exception says
   *     otherwise
   */
  public <T> T transaction(String purpose, TransactionBody<T> body) {
    try {
      return tryTransaction(purpose, body);
    } catch (SQLException e) {
      throw SqlErrors.translate(purpose, e);
    }
  }

  /**
   * Returns the work of a transaction of one statement, which travels with BEGIN and COMMIT in one
   * flush. A failure may come after the COMMIT, so it is for statements that may be repeated.
   *
   * @return the result of the statement, once the transaction has committed
   */
  public static <T> TransactionBody<Supplier<T>> alone(BoundStatement<T> call) {
    return session -> {
      AtomicReference<@Nullable T> answer = new AtomicReference<>();
      session.prepend(call.map(found -> keep(answer, found)));
      return () -> Objects.requireNonNull(answer.get(), "the transaction has not committed");
    };
  }

  private static <T> boolean keep(AtomicReference<@Nullable T> answer, T found) {
    answer.set(found);
    return true;
  }

  /** Runs one transaction that has no result; see {@link #transaction}. */
  public void run(String purpose, TransactionBody.Action action) {
    transaction(
        purpose,
        session -> {
          action.run(session);
          return true;
        });
  }

  /**
   * Runs one transaction, and leaves refusals of the database to a caller that can handle them.
   *
   * @throws SQLException if a statement failed; nothing is committed then
   * @throws RotaException if the connection broke at COMMIT
   */
  public <T> T tryTransaction(String purpose, TransactionBody<T> body) throws SQLException {
    try (Loan loan = new Loan()) {
      T result = transactionOn(loan.connection, settings, purpose, body);
      loan.committed = true;
      return result;
    }
  }

  /**
   * A connection for one transaction: the kept one, or one of the pool. A thread that keeps an idle
   * one takes no other, for which it could wait in vain. A failure to give it back does not hide an
   * earlier failure.
   */
  private final class Loan implements AutoCloseable {
    private final @Nullable PinnedConnection lender =
        kept == null ? PinnedConnection.idleOfThread(dataSource) : kept;
    private final Connection connection;
    private boolean committed;

    Loan() throws SQLException {
      this.connection = lender == null ? dataSource.getConnection() : lender.take();
    }

    @Override
    public void close() throws SQLException {
      if (lender == null) {
        connection.close();
      } else {
        lender.giveBack(connection, committed);
      }
    }
  }

  /** Runs one transaction on a connection that the caller keeps. */
  public <T> T transactionOn(
      Connection connection, TransactionSettings own, String purpose, TransactionBody<T> body)
      throws SQLException {
    boolean autoCommit = connection.getAutoCommit();
    connection.setAutoCommit(false);
    Duration longest = LONGEST.get();
    try {
      return runPrepared(connection, longest == null ? own : own.atMost(longest), purpose, body);
    } finally {
      restore(connection, autoCommit);
    }
  }

  /** Runs work that waits no longer for a statement than this, or than the work around it may. */
  public static <T> T within(Duration longest, Supplier<T> work) {
    Duration outer = LONGEST.get();
    LONGEST.set(limited(longest));
    try {
      return work.get();
    } finally {
      LONGEST.set(outer);
    }
  }

  /** The shorter one of a time and of the limit of this thread. */
  public static Duration limited(Duration usual) {
    Duration longest = LONGEST.get();
    return longest == null || usual.compareTo(longest) < 0 ? usual : longest;
  }

  /** Runs the body in a transaction of the caller, which this never ends. */
  public <T> T inCallersTransaction(Connection callers, String purpose, TransactionBody<T> body) {
    return SqlErrors.translating(purpose, () -> body.run(inCallersTransaction(callers)));
  }

  /** Creates a session inside a transaction of the caller, whose settings are left as they are. */
  public Session inCallersTransaction(Connection connection) throws SQLException {
    return Session.inCallersTransaction(connection, observer)
        .checking(backends.checkHandedIn(connection));
  }

  /** The settings of a transaction unless a caller passes its own. */
  public TransactionSettings settings() {
    return settings;
  }

  /**
   * Runs the body, again only when nothing was committed. A missing prepared statement ends the
   * flush it is in, also that of the COMMIT. The body also runs again with other numbers, and in
   * another history, where a table may be missing that is known from the former one.
   */
  private <T> T runPrepared(
      Connection connection, TransactionSettings own, String purpose, TransactionBody<T> body)
      throws SQLException {
    int history = backends.history().changes();
    try {
      return runAndCommit(connection, own, purpose, body);
    } catch (OtherHistoryException e) {
      return runAndCommit(connection, own, purpose, body);
    } catch (SQLException e) {
      if (SqlErrors.isMissingStatement(e)) {
        backends.giveUp();
      } else if (!SqlErrors.isMissingTable(e) || !isOver(history, connection, own, e)) {
        throw e;
      }
      return runAndCommit(connection, own, purpose, body);
    }
  }

  /**
   * Whether a history is over, in which a transaction began. A flush that fails does not tell; an
   * empty transaction does.
   */
  private boolean isOver(
      int history, Connection connection, TransactionSettings own, SQLException failure) {
    try {
      if (backends.history().changes() == history) {
        boolean unused = runAndCommit(connection, own, "look for another history", Database::look);
      }
    } catch (SQLException | RuntimeException e) {
      failure.addSuppressed(e);
    }
    return backends.history().changes() != history;
  }

  private static boolean look(Session session) throws SQLException {
    session.sendSettings();
    return true;
  }

  private <T> T runAndCommit(
      Connection connection, TransactionSettings own, String purpose, TransactionBody<T> body)
      throws SQLException {
    Backends.Check check = backends.check(connection);
    StatementPipeline pipeline = own.keepsPlans() ? pipeline(connection, own) : null;
    Session session =
        new Session(connection, observer, own, pipeline, backends.history()).checking(check);
    T result = runOrRollBack(session, body);
    commit(session, purpose);
    session.committed();
    return result;
  }

  private @Nullable StatementPipeline pipeline(Connection connection, TransactionSettings own)
      throws SQLException {
    StatementPipeline trial = backends.trial(connection);
    if (trial != null) {
      Session session = new Session(connection, observer, own, trial, backends.history());
      backends.tried(connection, findNames(session));
    }
    return backends.pipeline(connection);
  }

  /** Finds the names of a prepared statement; none if the server refuses it. */
  private static List<String> findNames(Session session) {
    try {
      List<String> names = runOrRollBack(session, trial -> trial.run(Backends.NAMES));
      commit(session, "look for names of prepared statements");
      return names;
    } catch (SQLException e) {
      log.debug("the server refuses names of prepared statements", e);
      return List.of();
    }
  }

  private static <T> T runOrRollBack(Session session, TransactionBody<T> body) throws SQLException {
    try {
      return body.run(session);
    } catch (DataAccessException e) {
      SQLException cause = SqlErrors.unwrap(e);
      rollBack(session, cause);
      throw cause;
    } catch (SQLException | RuntimeException | Error e) {
      rollBack(session, e);
      throw e;
    }
  }

  private static void commit(Session session, String purpose) throws SQLException {
    try {
      session.commit();
    } catch (SQLException e) {
      rollBack(session, e);
      if (SqlErrors.isUnavailable(e)) {
        throw SqlErrors.translate(purpose, e, session.mayHaveCommitted(e));
      }
      if (e instanceof RowCountException) {
        // The request travelled with the COMMIT, which the server has done.
        throw new DatabaseException(purpose + ": " + e.getMessage(), e, false, true);
      }
      throw e;
    }
  }

  private static void rollBack(Session session, Throwable reason) {
    try {
      session.rollBack();
    } catch (SQLException e) {
      reason.addSuppressed(e);
      cut(session.connection(), reason);
    }
  }

  /**
   * Aborts the connection: a transaction that could not be rolled back would be committed when the
   * connection changes its mode.
   */
  private static void cut(Connection connection, Throwable reason) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      reason.addSuppressed(e);
    }
  }

  /**
   * Restores the auto-commit mode. A pool of the host may hand out connections in either mode, and
   * gets them back unchanged.
   */
  private static void restore(Connection connection, boolean autoCommit) throws SQLException {
    if (!connection.isClosed()) {
      connection.setAutoCommit(autoCommit);
    }
  }

  /**
   * A transaction that serves several callers at once. One caller's trouble fails no other: after a
   * refusal they are served in smaller groups.
   */
  public interface SharedTransaction<C> {

    /** Serves all of them in one transaction. */
    void commit(List<C> callers);

    /**
     * The smaller groups to serve after a refusal, each caller alone by default; none if no group
     * would fare better.
     */
    default List<List<C>> parts(List<C> callers, RuntimeException refusal) {
      return callers.size() == 1 ? List.of() : callers.stream().map(List::of).toList();
    }

    /** Tells them that the transaction has committed. What this throws leads to no other try. */
    void committed(List<C> callers);

    /** Tells them that they are not served, or with an Error that it is not known. */
    void failed(List<C> callers, Throwable failure);

    /**
     * Serves them together, or in smaller groups where that is refused. Not after an Error or an
     * unknown outcome, which may have come when all was committed.
     */
    default void serve(List<C> callers) {
      try {
        commit(callers);
      } catch (RuntimeException e) {
        List<List<C>> parts = SqlErrors.isNotToRepeat(e) ? List.of() : parts(callers, e);
        if (parts.isEmpty()) {
          failed(callers, e);
        } else {
          parts.forEach(this::serve);
        }
        return;
      } catch (Error e) {
        failed(callers, e);
        return;
      }
      committed(callers);
    }
  }

  /** A pool that knows how much its connections are in demand. */
  public interface MeasuredPool {

    /** Whether threads wait for a connection. */
    boolean isAwaited();

    /** Whether half of its connections are free or not yet made. */
    boolean isHalfFree();

    /** Adds a thread's connection, which the pool reclaims when it is idle and all are in use. */
    void add(PinnedConnection pinned);

    /** Removes what {@link #add} added. */
    void remove(PinnedConnection pinned);
  }

  /**
   * A pool's connection that one thread keeps over its transactions, so that it finds the
   * statements that it prepared there. It goes back to the pool after a failure, every tenth of a
   * second, and when there is nothing to do. Other threads may wait for it.
   *
   * <p>A pool that measures demand gets it back every minute, when threads wait for one, and when
   * there is nothing to do while half of its connections are in use. A thread that takes another
   * connection has to prepare all its statements again. With many tenants, the backends behind all
   * connections would come to know all of them, and have no room to keep statements.
   *
   * <p>One thread uses it, for all its transactions on that pool; the pool reclaims an idle one
   * from any thread. Otherwise threads that sleep could keep connections for which others wait, or
   * wait for one themselves.
   */
  public static final class PinnedConnection implements AutoCloseable {

    private static final Logger log = Logs.of(PinnedConnection.class);

    private static final ThreadLocal<PinnedConnection> OF_THREAD = new ThreadLocal<>();

    private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MOST_UNWANTED_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final DataSource pool;
    private final @Nullable MeasuredPool measured;
    private final LongSupplier nanoTime;

    /** The connection between two transactions. */
    private final AtomicReference<@Nullable Connection> kept = new AtomicReference<>();

    private long takenAt;
    private volatile long usedAt;

    PinnedConnection(DataSource pool, LongSupplier nanoTime) {
      this.pool = pool;
      this.measured = pool instanceof MeasuredPool known ? known : null;
      this.nanoTime = nanoTime;
    }

    /** The one that the calling thread keeps of this pool and does not use at present, or null. */
    static @Nullable PinnedConnection idleOfThread(DataSource pool) {
      PinnedConnection own = OF_THREAD.get();
      return own != null && own.pool == pool && own.kept.get() != null ? own : null;
    }

    Connection take() throws SQLException {
      OF_THREAD.set(this);
      Connection own = kept.getAndSet(null);
      return own == null ? takeAnother() : own;
    }

    private Connection takeAnother() throws SQLException {
      Connection another = pool.getConnection();
      takenAt = nanoTime.getAsLong();
      if (measured != null) {
        measured.add(this);
      }
      return another;
    }

    /**
     * Takes the connection back after a transaction.
     *
     * @param intact whether the transaction was committed
     */
    void giveBack(Connection connection, boolean intact) throws SQLException {
      long now = nanoTime.getAsLong();
      if (!intact || isDue(now, measured != null && !measured.isAwaited())) {
        connection.close();
      } else {
        usedAt = now;
        kept.set(connection);
      }
    }

    private boolean isDue(long now, boolean unwanted) {
      return now - takenAt > (unwanted ? MOST_UNWANTED_NANOS : MOST_NANOS);
    }

    /** Returns the connection to the pool when there is nothing to do for some time. */
    public void rest() {
      if (isIdle()) {
        pause();
      }
    }

    private boolean isIdle() {
      return nanoTime.getAsLong() - usedAt > IDLE_NANOS;
    }

    /**
     * Returns the connection to the pool before a pause of its thread, unless half of the pool is
     * free.
     */
    public void pause() {
      boolean unwanted = measured != null && measured.isHalfFree();
      if (!unwanted || isDue(nanoTime.getAsLong(), true)) {
        release();
      }
    }

    /** Returns an idle connection to the pool, for another thread; false if there is none. */
    public boolean reclaim() {
      return isIdle() && release();
    }

    private boolean release() {
      Connection idle = kept.getAndSet(null);
      if (idle == null) {
        return false;
      }
      try {
        idle.close();
      } catch (SQLException e) {
        log.debug("a connection could not be given back to its pool", e);
      }
      return true;
    }

    /** Returns the connection to the pool; the next transaction takes another. */
    @Override
    public void close() {
      if (measured != null) {
        measured.remove(this);
      }
      if (OF_THREAD.get() == this) {
        OF_THREAD.remove();
      }
      boolean unused = release();
    }
  }
}
