package dev.rota.internal.db;

import dev.rota.internal.db.BoundStatement.Flush;
import dev.rota.internal.db.BoundStatement.Reply;
import dev.rota.internal.log.Logs;
import dev.rota.internal.sql.Sql;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.BaseStatement;
import org.postgresql.core.Field;
import org.postgresql.core.ParameterList;
import org.postgresql.core.Query;
import org.postgresql.core.QueryExecutor;
import org.postgresql.core.ResultHandler;
import org.postgresql.jdbc.PreferQueryMode;
import org.slf4j.Logger;

/**
 * The server processes behind a pool: the history of their server, which connections reach theirs
 * directly, and the statements that are kept there. Thread-safe.
 *
 * <p>The driver numbers the statements that it prepares: {@code S_1} of one process is another
 * statement than that of the next. A pooler that exchanges server processes between transactions
 * and does not know of names then runs the wrong one without an error. A pooler gives the driver a
 * process number of its own, so the first flush of a connection queries the server for the true
 * one, and nothing is named before.
 *
 * <p>PgBouncer since 1.21 can map names: it prepares a text in each process where it is missing, by
 * a name of its own. A trial in a transaction of its own shows that. Behind such a pooler Rota's
 * pipelines name their statements, but no text of JDBC does: PgBouncer shares a statement among all
 * clients, and a plan that is made for reading whole tables would also serve the hot path.
 */
public final class Backends {

  private static final Logger log = Logs.of(Backends.class);

  private static final Sql FIND_THE_SERVER_PROCESS = Sql.named("find_the_server_process");

  /** Queries the server process of a connection. */
  static final BoundStatement<List<Integer>> PROCESS =
      BoundStatement.query(FIND_THE_SERVER_PROCESS, row -> row.getInt(1));

  private static final Sql FIND_THE_NAME_OF_THIS = Sql.named("find_the_name_of_this_statement");

  /** Queries the names under which the server knows this very statement. */
  static final BoundStatement<List<String>> NAMES =
      BoundStatement.query(FIND_THE_NAME_OF_THIS, row -> row.getString(1));

  private static final String MAPPED_NAME = "PGBOUNCER_";

  private final Map<PGConnection, Backend> connections =
      Collections.synchronizedMap(new WeakHashMap<>());
  private final ServerHistory history = new ServerHistory();
  private final AtomicBoolean warned = new AtomicBoolean();
  private volatile boolean givenUp;

  /** The user's setting of a connection, and whether the setting from now on is decided. */
  private static final class Backend {
    private final int threshold;
    private volatile boolean decided;
    private volatile Names names = Names.DRIVER;
    private volatile @Nullable StatementPipeline pipeline;

    Backend(int threshold) {
      this.threshold = threshold;
      this.decided = threshold == 0;
    }
  }

  /** Whose names the server keeps statements under. */
  private enum Names {
    /** The driver's, which mean the same for as long as the connection lives. */
    DRIVER,
    /** Unknown: a pooler is between, and was not tried. */
    UNTRIED,
    /** The driver's, of whichever process the pooler lends. */
    EXCHANGED,
    /** The pooler's, which finds them for the driver's. */
    MAPPED
  }

  Backends() {}

  /** The server history that the transactions of the pool are in. */
  ServerHistory history() {
    return history;
  }

  /**
   * Keeps a connection of unknown state from naming statements until it is known. Null if it is
   * known, or if its pool hides the driver's connection.
   */
  @Nullable Check check(Connection connection) throws SQLException {
    return check(connection, false);
  }

  /** The same for a connection of a caller, on which Rota tries nothing. */
  @Nullable Check checkHandedIn(Connection connection) throws SQLException {
    return check(connection, true);
  }

  private @Nullable Check check(Connection connection, boolean handedIn) throws SQLException {
    if (!connection.isWrapperFor(PGConnection.class)) {
      return null;
    }
    PGConnection physical = connection.unwrap(PGConnection.class);
    Backend backend = backend(physical);
    if (backend.decided) {
      return null;
    }
    physical.setPrepareThreshold(0);
    return new Check(physical, backend, handedIn);
  }

  private Backend backend(PGConnection physical) {
    return connections.computeIfAbsent(
        physical, unknown -> new Backend(unknown.getPrepareThreshold()));
  }

  /**
   * Returns the pipeline of a connection; null where statements go as texts. That is so behind a
   * pooler that maps no names, if a pool hides the driver's connection, if the user disabled
   * prepared statements in the driver, and if the driver is another version.
   */
  @Nullable StatementPipeline pipeline(Connection connection) throws SQLException {
    if (givenUp || !PipelineSupport.isThere() || !connection.isWrapperFor(PGConnection.class)) {
      return null;
    }
    PGConnection physical = connection.unwrap(PGConnection.class);
    Backend backend = backend(physical);
    boolean named = backend.names == Names.MAPPED || physical.getPrepareThreshold() != 0;
    if (!backend.decided || !named) {
      return null;
    }
    StatementPipeline known = backend.pipeline;
    return known != null ? known : open(connection, backend);
  }

  /**
   * Returns a pipeline on which the next transaction tries whether a pooler maps names; null where
   * there is nothing to try. It is the only use of names before that is known: its flush prepares
   * whatever it runs, so that a foreign statement of the same name refuses it.
   */
  @Nullable StatementPipeline trial(Connection connection) throws SQLException {
    if (givenUp || !PipelineSupport.isThere() || !connection.isWrapperFor(PGConnection.class)) {
      return null;
    }
    Backend backend = backend(connection.unwrap(PGConnection.class));
    return backend.names == Names.UNTRIED ? PipelineSupport.open(connection) : null;
  }

  /**
   * Ends the trial of a connection.
   *
   * @param names what the server answered to {@link #NAMES}; empty if it refused
   */
  void tried(Connection connection, List<String> names) throws SQLException {
    Backend backend = backend(connection.unwrap(PGConnection.class));
    boolean mapped =
        !names.isEmpty() && names.stream().allMatch(name -> name.startsWith(MAPPED_NAME));
    backend.names = mapped ? Names.MAPPED : Names.EXCHANGED;
    if (!mapped) {
      warn();
    } else if (warned.compareAndSet(false, true)) {
      log.info(
          "a pooler is between Rota and the server, and maps the names of prepared statements:"
              + " Rota uses them. It has set the driver's prepareThreshold to 0 on its connections,"
              + " so that plans of other statements stay apart");
    }
  }

  private void warn() {
    if (warned.compareAndSet(false, true)) {
      log.warn(
          "a pooler is between Rota and the server: Rota has set the driver's"
              + " prepareThreshold to 0 on its connections, since names of prepared statements"
              + " mean others after an exchange of the server process. Set prepareThreshold=0 in"
              + " the JDBC URL to have it from the start, or max_prepared_statements in PgBouncer"
              + " 1.21 or newer");
    }
  }

  private static @Nullable StatementPipeline open(Connection connection, Backend backend)
      throws SQLException {
    StatementPipeline opened = PipelineSupport.open(connection);
    if (opened != null && backend.names == Names.MAPPED) {
      // The pooler may lend a process of another server at any time, after a failover.
      opened.commitApart();
    }
    backend.pipeline = opened;
    return opened;
  }

  /** Stops preparing after a statement was gone that this process did not drop. */
  void giveUp() {
    if (!givenUp) {
      givenUp = true;
      log.warn(
          "a statement that Rota had prepared is gone: a pooler shares its connections by"
              + " transaction, or a pool discards their state. Rota goes on without; set"
              + " prepareThreshold=0 in the JDBC URL, as the driver needs it there too");
    }
  }

  /** A query that travels with the first flush. */
  final class Check {
    private final PGConnection physical;
    private final Backend backend;
    private final boolean handedIn;
    private @Nullable Reply<List<Integer>> process;

    private Check(PGConnection physical, Backend backend, boolean handedIn) {
      this.physical = physical;
      this.backend = backend;
      this.handedIn = handedIn;
    }

    void addTo(Flush flush) {
      process = flush.add(PROCESS);
    }

    /** Evaluates the answer, if the query was sent. */
    void decide() {
      if (process == null) {
        return;
      }
      backend.decided = true;
      if (process.get().get(0) == physical.getBackendPID()) {
        physical.setPrepareThreshold(backend.threshold);
      } else {
        backend.names = Names.UNTRIED;
        if (handedIn) {
          warn();
        }
      }
    }
  }

  /**
   * Decides whether the driver has what a {@link StatementPipeline} needs: classes that are not its
   * public API, and that another version may have in another form. Thread-safe.
   */
  static final class PipelineSupport {

    private static final boolean THERE = links();

    private PipelineSupport() {}

    /** Whether this version of the driver is one for which a pipeline works. */
    static boolean isThere() {
      return THERE;
    }

    /** Opens the pipeline of a connection; null if the driver may only send texts. */
    static @Nullable StatementPipeline open(Connection connection) throws SQLException {
      if (!connection.isWrapperFor(BaseConnection.class)) {
        return null;
      }
      QueryExecutor executor = connection.unwrap(BaseConnection.class).getQueryExecutor();
      return executor.getPreferQueryMode() == PreferQueryMode.SIMPLE
          ? null
          : new StatementPipeline(executor);
    }

    private static boolean links() {
      try {
        Method unusedExecute =
            QueryExecutor.class.getMethod(
                "execute",
                Query.class,
                ParameterList.class,
                ResultHandler.class,
                int.class,
                int.class,
                int.class);
        Method unusedQuery =
            QueryExecutor.class.getMethod(
                "createQuery", String.class, boolean.class, boolean.class, String[].class);
        Method unusedRows =
            BaseStatement.class.getMethod("createDriverResultSet", Field[].class, List.class);
        return isComplete(StatementPipeline.Combination.class)
            && isComplete(StatementPipeline.Results.class);
      } catch (NoSuchMethodException | LinkageError e) {
        log.debug("the driver is another version: Rota sends its statements as texts", e);
        return false;
      }
    }

    /** Whether a class has all methods that the driver's interfaces want of it. */
    static boolean isComplete(Class<?> type) {
      for (Method method : type.getMethods()) {
        if (Modifier.isAbstract(method.getModifiers())) {
          log.debug("the driver is another version: {} is new", method);
          return false;
        }
      }
      return true;
    }
  }

  /**
   * Tracks the server history that this process talks to, as seen by each of its transactions. A
   * restore of a backup and the promotion of a standby begin another history, in which numbers that
   * were drawn before may come again. Thread-safe.
   *
   * <p>The server's start time identifies the history: a restore and a promotion both lead to a
   * server that was started at another time. A plain restart changes it too, which costs no more
   * than some numbers. Rejected: the timeline and the system identifier. Managed servers do not
   * show them, and a copy of the data directory that is started without recovery has the same.
   */
  public static final class ServerHistory {

    private final Map<Witness, String> seen = new ConcurrentHashMap<>();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final AtomicInteger changes = new AtomicInteger();

    /** The values that distinguish histories. */
    public enum Witness {
      /** The start time of the server. */
      SERVER_START,
      /**
       * The identity of the database and its tables: a dump may be restored into a running server.
       */
      DATABASE
    }

    /**
     * Registers a listener that is called when another history is met, on the thread of the
     * transaction that met it.
     */
    public void onChange(Runnable listener) {
      listeners.add(listener);
    }

    /** The number of changes that were noticed. */
    int changes() {
      return changes.get();
    }

    /** Whether a server's start time is that of the present history. */
    boolean isPresent(@Nullable String serverStart) {
      return serverStart != null && serverStart.equals(seen.get(Witness.SERVER_START));
    }

    /** Records a value that a transaction has seen. */
    public void met(Witness witness, String value) {
      if (!value.equals(seen.get(witness))) {
        changed(witness, value);
      }
    }

    private synchronized void changed(Witness witness, String value) {
      String before = seen.get(witness);
      if (before != null && !before.equals(value)) {
        listeners.forEach(Runnable::run);
        changes.incrementAndGet();
        log.info(
            "the server was started anew, restored or replaced by a standby: Rota draws new numbers"
                + " for tasks and batches, and looks whether it is still registered as a worker");
      }
      seen.put(witness, value);
    }
  }

  /**
   * Thrown when a transaction was rolled back because its numbers were drawn in another history of
   * the server; see {@link ServerHistory}. A repetition draws new ones.
   */
  public static final class OtherHistoryException extends SQLException {

    private static final long serialVersionUID = 1L;
    private static final String SERIALIZATION_FAILURE = "40001";

    OtherHistoryException() {
      super(
          "the server was started anew, restored or replaced by a standby while this transaction"
              + " had numbers that were drawn before; nothing was written, try again",
          SERIALIZATION_FAILURE);
    }
  }
}
