package dev.rota.internal.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
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
 * <p>What each transaction sets for itself travels with the first statement, in one flush.
 */
public final class Session {

  private final Connection connection;
  private final CallObserver observer;
  private @Nullable String prologue;

  Session(Connection connection, CallObserver observer, @Nullable String prologue) {
    this.connection = connection;
    this.observer = observer;
    this.prologue = prologue;
  }

  /** Inside a transaction of the caller, which is left as it is. */
  public static Session inCallersTransaction(Connection connection, CallObserver observer) {
    return new Session(connection, observer, null);
  }

  /** The connection, for handlers that write in the same transaction. */
  public Connection connection() {
    return connection;
  }

  /** Runs one statement. */
  public <T> T run(Call<T> call) throws SQLException {
    List<T> results = runTogether(List.of(call));
    return results.get(0);
  }

  /** Sends several statements in one flush and reads their results, in this order. */
  public <T> List<T> runTogether(List<Call<T>> calls) throws SQLException {
    for (Call<T> call : calls) {
      observer.before(call.name());
    }
    List<T> results = new ArrayList<>(calls.size());
    try (PreparedStatement statement = connection.prepareStatement(text(calls))) {
      bind(statement, calls);
      statement.execute();
      skipPrologue(statement);
      for (int i = 0; i < calls.size(); i++) {
        if (i > 0) {
          statement.getMoreResults();
        }
        results.add(calls.get(i).outcome().read(statement));
      }
    }
    prologue = null;
    for (Call<T> call : calls) {
      observer.after(call.name());
    }
    return results;
  }

  /** jOOQ on this connection, for statements outside the hot path. */
  public DSLContext dsl() throws SQLException {
    sendPrologue();
    Configuration configuration =
        new DefaultConfiguration()
            .set(connection)
            .set(SQLDialect.POSTGRES)
            .set(Rendering.settings())
            .set(new Observing(observer));
    return DSL.using(configuration);
  }

  /** Runs statements that take no values, such as DDL, in one flush. */
  public void execute(String call, List<String> statements) throws SQLException {
    runTogether(statements.stream().map(statement -> Call.update(call, statement)).toList());
  }

  /** Makes sure that the settings of this transaction are in force. */
  public void sendPrologue() throws SQLException {
    if (prologue != null) {
      try (PreparedStatement statement = connection.prepareStatement(prologue)) {
        statement.execute();
      }
      prologue = null;
    }
  }

  private String text(List<? extends Call<?>> calls) {
    if (calls.size() == 1 && prologue == null) {
      return calls.get(0).sql();
    }
    StringBuilder text = new StringBuilder();
    if (prologue != null) {
      text.append(prologue).append(";\n");
    }
    calls.forEach(call -> text.append(call.sql()).append(";\n"));
    return text.toString();
  }

  private static void bind(PreparedStatement statement, List<? extends Call<?>> calls)
      throws SQLException {
    int place = 1;
    for (Call<?> call : calls) {
      for (Object value : call.binds()) {
        statement.setObject(place++, value);
      }
    }
  }

  /** The prologue leaves two results: that of SET, and the row of the select. */
  private void skipPrologue(PreparedStatement statement) throws SQLException {
    if (prologue != null) {
      statement.getMoreResults();
      statement.getMoreResults();
    }
  }

  /** Lets jOOQ's statements go through the seam under the name of their kind. */
  private static final class Observing implements ExecuteListener {
    private static final long serialVersionUID = 1L;
    private final transient CallObserver observer;

    Observing(CallObserver observer) {
      this.observer = observer;
    }

    @Override
    public void executeStart(ExecuteContext context) {
      observe(() -> observer.before("jooq"));
    }

    @Override
    public void executeEnd(ExecuteContext context) {
      observe(() -> observer.after("jooq"));
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
}
