package dev.rota.internal.db;

import dev.rota.internal.db.BoundStatement.BinaryValue;
import dev.rota.internal.db.BoundStatement.Reply;
import dev.rota.internal.db.BoundStatement.StatementResult;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.BaseStatement;
import org.postgresql.core.Field;
import org.postgresql.core.ParameterList;
import org.postgresql.core.Query;
import org.postgresql.core.QueryExecutor;
import org.postgresql.core.ResultCursor;
import org.postgresql.core.ResultHandlerBase;
import org.postgresql.core.SqlCommand;
import org.postgresql.core.Tuple;
import org.postgresql.core.v3.SqlSerializationContext;
import org.postgresql.util.PSQLException;

/**
 * Sends any mix of statements of one connection in one flush, each by the name under which the
 * server keeps it prepared. Used by one transaction at a time, which is Rota's own and has its
 * BEGIN in the first flush.
 *
 * <p>JDBC prepares the text of a whole flush, and a claim from several tenants combines others each
 * time. So Rota hands the driver's query executor a query whose parts are prepared statements, as
 * the driver does with a text of several statements.
 *
 * <p>All values have a type: the driver describes a statement with a value of unknown type, and
 * from then on sends a Sync after it. Rows come in binary from a statement that is kept.
 */
final class StatementPipeline {

  private static final int MOST_TEMPLATES = 64;

  private final QueryExecutor executor;
  private final StatementCache<Query> prepared;
  private final Map<List<Integer>, Query> templates = new LinkedHashMap<>(16, 0.75f, true);

  private @Nullable String serverStart;
  private boolean commitsApart;
  private @Nullable SQLException endedEarly;

  StatementPipeline(QueryExecutor executor) {
    this.executor = executor;
    this.prepared = new StatementCache<>(this::query, Query::close);
  }

  /** The statements that the server keeps for this connection. */
  StatementCache<Query> prepared() {
    return prepared;
  }

  /** Records when the server was started, as a transaction on this connection has read it. */
  void serverStart(String read) {
    serverStart = read;
  }

  /** Whether the last statements of a transaction may share the flush of its COMMIT. */
  boolean mayCommitAlong(ServerHistory history) {
    return !commitsApart && history.isPresent(serverStart);
  }

  /** Sends every COMMIT apart from now on, so that it can be withheld. */
  void commitApart() {
    commitsApart = true;
  }

  /**
   * Whether the last statement of a flush that failed has surely not run. The server sent this
   * error before the result of the statement ahead of it, and then skips the rest, or ends.
   */
  boolean endedBeforeLast(SQLException failure) {
    return failure == endedEarly;
  }

  /** Sends everything and reads the results. */
  void run(Connection connection, List<Reply<?>> parts) throws SQLException {
    List<Query> unkept = new ArrayList<>();
    Results results = new Results();
    try {
      Query[] queries = queries(parts, unkept);
      Query query = queries.length == 1 ? queries[0] : new Combination(queries);
      int flags = QueryExecutor.QUERY_SUPPRESS_BEGIN;
      executor.execute(query, values(parts, queries), results, 0, 0, flags);
    } catch (PSQLException e) {
      if (e.getServerErrorMessage() != null && results.count() < parts.size() - 1) {
        endedEarly = e;
      }
      throw e;
    } finally {
      unkept.forEach(Query::close);
    }
    results.read(parts, connection.unwrap(BaseConnection.class));
  }

  /**
   * The statements of the parts. Those that are not kept have a name too, until the next flush: the
   * driver gives names to all statements of a flush or to none.
   */
  private Query[] queries(List<Reply<?>> parts, List<Query> unkept) throws SQLException {
    prepared.tidyUp();
    Query[] queries = new Query[parts.size()];
    for (int i = 0; i < queries.length; i++) {
      String text = parts.get(i).sql();
      Query kept = prepared.get(text);
      if (kept == null) {
        kept = query(text);
        unkept.add(kept);
      }
      queries[i] = kept;
    }
    return queries;
  }

  private Query query(String text) throws SQLException {
    return executor.createQuery(text, false, true).query;
  }

  private ParameterList values(List<Reply<?>> parts, Query[] queries) throws SQLException {
    Query shape = queries.length == 1 ? queries[0] : template(parts);
    ParameterList values = shape.createParameterList();
    int place = 0;
    for (Reply<?> part : parts) {
      for (Object value : part.binds()) {
        BinaryValue.bind(values, ++place, value);
      }
    }
    return values;
  }

  /**
   * A query of as many statements with as many values each, which never runs: the driver makes a
   * list of values for several statements only from a text.
   */
  private Query template(List<Reply<?>> parts) throws SQLException {
    List<Integer> shape = parts.stream().map(part -> part.binds().size()).toList();
    Query known = templates.get(shape);
    if (known != null) {
      return known;
    }
    Query template =
        query(shape.stream().map(StatementPipeline::shape).collect(Collectors.joining(";")));
    templates.put(shape, template);
    if (templates.size() > MOST_TEMPLATES) {
      templates.remove(templates.keySet().iterator().next());
    }
    return template;
  }

  private static String shape(int values) {
    return "shape " + String.join(",", Collections.nCopies(values, "?"));
  }

  /**
   * Collects the results of a pipeline, one for each statement. They are read when the driver has
   * received everything, so that a row that cannot be read leaves the connection in order.
   */
  static final class Results extends ResultHandlerBase {

    private final List<Answer> answers = new ArrayList<>();

    /** Rows, or the number of changed rows. */
    private static final class Answer {
      private final Field @Nullable [] fields;
      private final List<Tuple> rows;
      private final int changed;

      Answer(Field @Nullable [] fields, List<Tuple> rows, int changed) {
        this.fields = fields;
        this.rows = rows;
        this.changed = changed;
      }
    }

    @Override
    public void handleResultRows(
        Query query, Field[] fields, List<Tuple> rows, @Nullable ResultCursor cursor) {
      answers.add(new Answer(fields, rows, -1));
    }

    @Override
    public void handleCommandStatus(String status, long changed, long oid) {
      answers.add(new Answer(null, List.of(), (int) Math.min(changed, Integer.MAX_VALUE)));
    }

    @Override
    public void handleWarning(SQLWarning warning) {
      // A notice of the server is for the session that asks for it; Rota does not.
    }

    /** The number of statements that have a result. */
    int count() {
      return answers.size();
    }

    /** Gives each statement its result, once all have run. */
    void read(List<Reply<?>> parts, BaseConnection connection) throws SQLException {
      if (answers.size() != parts.size()) {
        throw new SQLException(
            "the server answered " + answers.size() + " of " + parts.size() + " statements");
      }
      for (int i = 0; i < answers.size(); i++) {
        parts.get(i).read(new Result(answers.get(i), connection));
      }
    }

    private record Result(Answer answer, BaseConnection connection) implements StatementResult {

      @Override
      public ResultSet rows() throws SQLException {
        Field[] fields = Objects.requireNonNull(answer.fields, "a statement without rows");
        return ((BaseStatement) connection.createStatement())
            .createDriverResultSet(fields, answer.rows);
      }

      @Override
      public int updateCount() {
        return answer.changed;
      }
    }
  }

  /**
   * Any mix of the driver's queries as one. The driver sends its parts one after the other, those
   * that it has prepared by their names, and one Sync behind them.
   */
  static final class Combination implements Query {

    private final Query[] parts;

    Combination(Query[] parts) {
      this.parts = parts;
    }

    @Override
    public Query[] getSubqueries() {
      return parts;
    }

    @Override
    public ParameterList createParameterList() {
      throw new UnsupportedOperationException("the values of a pipeline come from its template");
    }

    @Override
    public String getNativeSql() {
      return Arrays.stream(parts).map(Query::getNativeSql).collect(Collectors.joining(";\n"));
    }

    @Override
    public String toString() {
      return getNativeSql();
    }

    @Override
    public String toString(@Nullable ParameterList values) {
      return getNativeSql();
    }

    @Override
    public String toString(@Nullable ParameterList values, SqlSerializationContext context) {
      return getNativeSql();
    }

    @Override
    public @Nullable SqlCommand getSqlCommand() {
      return null;
    }

    @Override
    public void close() {
      // Its parts outlive it.
    }

    @Override
    public boolean isStatementDescribed() {
      return false;
    }

    @Override
    public boolean isEmpty() {
      return false;
    }

    @Override
    public int getBatchSize() {
      return 0;
    }

    @Override
    public @Nullable Map<String, Integer> getResultSetColumnNameIndexMap() {
      return null;
    }
  }
}
