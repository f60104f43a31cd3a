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
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jooq.Configuration;
import org.jooq.DSLContext;
import org.jooq.ExecuteContext;
import org.jooq.ExecuteListener;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jooq.impl.DefaultConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * One transaction on one connection: the seam through which every statement goes. Not thread-safe.
 *
 * <p>The settings of each transaction travel with its first statement, in one flush.
 */
public final class Session {

  private static final String COMMIT = "commit";

  private final Connection connection;
  private final StatementObserver observer;
  private final @Nullable StatementPipeline pipeline;
  private final List<BoundStatement<?>> prepended = new ArrayList<>();
  private final List<BoundStatement<Integer>> appended = new ArrayList<>();
  private final List<Runnable> afterwards = new ArrayList<>();
  private final List<BooleanSupplier> numbers = new ArrayList<>();
  private final ServerHistory history;
  private TransactionSettings.@Nullable Start start;
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
    this.start = TransactionSettings.Start.ofOwn(connection, settings);
    this.settings = settings;
    this.pipeline = pipeline;
    this.history = history;
  }

  private Session(Connection connection, StatementObserver observer) {
    this.connection = connection;
    this.observer = observer;
    this.start = TransactionSettings.Start.ofCallers(connection);
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

  /**
   * Puts this statement before the next one, or before the COMMIT, in the same flush; its reader
   * gets the result.
   */
  public void prepend(BoundStatement<?> call) {
    prepended.add(call);
  }

  /** Puts this statement into the flush of the COMMIT; its result is not read. */
  public void appendToCommit(BoundStatement<Integer> call) {
    appended.add(call);
  }

  /**
   * Runs the last statements of the transaction, in the flush of the COMMIT where that is safe. It
   * is safe on a connection by which an earlier transaction has met the present history of the
   * server: the numbers that were drawn in that history are valid wherever this connection leads.
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
    Reply<List<String>> serverStart = addSettings(flush);
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

  private void begin(Flush flush) throws SQLException {
    if (start != null) {
      start.addTo(flush);
    }
    if (check != null && (settings == null || !settings.isSnapshot())) {
      check.addTo(flush);
    }
  }

  private @Nullable Reply<List<String>> addSettings(Flush flush) {
    return settings == null ? null : settings.pin(flush);
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
    if (start == null) {
      flush.run(connection, way);
    } else {
      start.run(flush, way);
      start = null;
    }
    if (check != null) {
      check.decide();
      check = null;
    }
  }

  /** Returns jOOQ on this connection, for statements outside the hot path. */
  public DSLContext dsl() throws SQLException {
    sendSettings();
    Configuration configuration =
        new DefaultConfiguration()
            .set(connection)
            .set(SQLDialect.POSTGRES)
            .set(Sql.settings())
            .set(new Observing(observer, connection));
    return DSL.using(configuration);
  }

  /** Runs statements that take no values, such as DDL, in one flush. */
  public void execute(String call, List<String> statements) throws SQLException {
    if (pipeline != null) {
      pipeline.prepared().defined(statements.size());
    }
    runAll(statements.stream().map(statement -> BoundStatement.update(call, statement)).toList());
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
      Reply<List<String>> serverStart = addSettings(flush);
      roundTrip("settings", () -> send(flush, pipeline));
      settings = null;
      recognise(serverStart);
    }
  }

  /** Runs one statement under the settings of the pool, before those of Rota are in force. */
  public <T> T runUnderPoolsSettings(BoundStatement<T> call) throws SQLException {
    Flush flush = new Flush();
    begin(flush);
    Reply<T> reply = flush.add(call);
    observer.before(call.name());
    observer.sending(connection);
    send(flush, null);
    observer.answered(connection);
    observer.after(call.name());
    return reply.get();
  }

  /** Passes jOOQ's statements through the seam under the name of their kind. */
  private static final class Observing implements ExecuteListener {
    private static final long serialVersionUID = 1L;
    private final transient StatementObserver observer;
    private final transient Connection connection;

    Observing(StatementObserver observer, Connection connection) {
      this.observer = observer;
      this.connection = connection;
    }

    @Override
    public void executeStart(ExecuteContext context) {
      observe(
          () -> {
            observer.before("jooq");
            observer.sending(connection);
          });
    }

    @Override
    public void executeEnd(ExecuteContext context) {
      observe(
          () -> {
            observer.answered(connection);
            observer.after("jooq");
          });
    }

    private static void observe(Observation observation) {
      try {
        observation.run();
      } catch (SQLException e) {
        throw new org.jooq.exception.DataAccessException("refused by an observer", e);
      }
    }

    private interface Observation {
      void run() throws SQLException;
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
