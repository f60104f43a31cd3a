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
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
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
    this.prepared =
        new StatementCache<>(
            this::query, Query::close, StatementCache.room(executor.getServerVersionNum()));
  }

  /** The statements that the server keeps for this connection. */
  StatementCache<Query> prepared() {
    return prepared;
  }

  /** Records when the server was started, as a transaction on this connection has read it. */
  void serverStart(String read) {
    serverStart = read;
  }

  /**
   * Whether the last statements of a transaction may share the flush of its COMMIT.
   *
   * @param present whether a server's start time is that of the present history
   */
  boolean mayCommitAlong(Predicate<@Nullable String> present) {
    return !commitsApart && present.test(serverStart);
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
    Results results = new Results(connection.unwrap(BaseConnection.class));
    try {
      Query[] queries = queries(parts, unkept);
      Query query = queries.length == 1 ? queries[0] : new Combination(queries);
      int flags = QueryExecutor.QUERY_SUPPRESS_BEGIN;
      executor.execute(query, values(parts, queries), results, 0, 0, flags);
    } catch (PSQLException e) {
      if (e.getServerErrorMessage() != null && results.answers.size() < parts.size() - 1) {
        endedEarly = e;
      }
      throw e;
    } finally {
      unkept.forEach(Query::close);
    }
    results.read(parts);
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
        query(
            shape.stream()
                .map(values -> "shape " + String.join(",", Collections.nCopies(values, "?")))
                .collect(Collectors.joining(";")));
    templates.put(shape, template);
    if (templates.size() > MOST_TEMPLATES) {
      templates.remove(templates.keySet().iterator().next());
    }
    return template;
  }

  /**
   * Collects the results of a pipeline, one for each statement. They are read when the driver has
   * received everything, so that a row that cannot be read leaves the connection in order.
   */
  static final class Results extends ResultHandlerBase {

    private final BaseConnection connection;
    private final List<Answer> answers = new ArrayList<>();

    Results(BaseConnection connection) {
      this.connection = connection;
    }

    /** Rows, or the number of changed rows. */
    private final class Answer implements StatementResult {
      private final Field @Nullable [] fields;
      private final List<Tuple> rows;
      private final int changed;

      Answer(Field @Nullable [] fields, List<Tuple> rows, int changed) {
        this.fields = fields;
        this.rows = rows;
        this.changed = changed;
      }

      @Override
      public ResultSet rows() throws SQLException {
        Field[] present = Objects.requireNonNull(fields, "a statement without rows");
        return ((BaseStatement) connection.createStatement()).createDriverResultSet(present, rows);
      }

      @Override
      public int updateCount() {
        return changed;
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

    /** Gives each statement its result, once all have run. */
    void read(List<Reply<?>> parts) throws SQLException {
      if (answers.size() != parts.size()) {
        throw new SQLException(
            "the server answered " + answers.size() + " of " + parts.size() + " statements");
      }
      for (int i = 0; i < answers.size(); i++) {
        parts.get(i).read(answers.get(i));
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

  /**
   * Keeps statements of one connection prepared, within the memory that its backend may hold. Used
   * by one transaction at a time.
   *
   * <p>A statement is kept when it runs for the second time. Where there is no room, it takes the
   * place of the one unused for the longest time, but never of one in use: with more busy tenants
   * than places, all would be prepared anew and run once.
   *
   * <p>A backend also remembers every table that it has met, and never forgets one. So the room
   * shrinks with the statements that it has seen. Memory contexts show 92 kB for a kept claim of
   * 820 characters in PostgreSQL 18, 100 in 15, and 20 kB more for its tables. The room is enough
   * for the claims of 250 tenants, of 740 characters. What a backend frees it keeps for later, so
   * that one of a thousand tenants with 29 MB of room had up to 35 MB.
   *
   * @param <S> a prepared statement
   */
  static final class StatementCache<S> {

    private static final long ROOM = 27_000_000;

    /** The backends of PostgreSQL 15 have more besides: up to a fifth of their memory contexts. */
    private static final long ROOM_OF_15 = 25_000_000;

    private static final int OF_A_KEPT_ONE = 4_000;
    private static final int OF_A_KEPT_CHARACTER = 108;
    private static final int OF_A_SEEN_CHARACTER = 24;
    private static final int OF_A_DEFINITION = 1_300;
    private static final int OF_AN_OPENED_TABLE = 3_400;

    /** So many are kept whatever the backend remembers. */
    private static final int FEWEST = 32;

    private static final int MOST_SEEN = 4_000;
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Preparation<S> preparation;
    private final Consumer<S> close;
    private final long room;
    private final Map<String, Kept<S>> kept = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<String, Boolean> seen = new LinkedHashMap<>(16, 0.75f, true);
    private long keptBytes;
    private long seenBytes;
    private int openedTables;

    /**
     * Creates the cache of a connection.
     *
     * @param preparation creates a statement that is kept from now on
     * @param close releases a statement that is no longer kept
     * @param room the memory that the backend may use for Rota, in bytes
     */
    StatementCache(Preparation<S> preparation, Consumer<S> close, long room) {
      this.preparation = preparation;
      this.close = close;
      this.room = room;
    }

    /** Returns the bytes that keep a backend of a server below 32 MB, for a thousand tenants. */
    static long room(int version) {
      return version < 160_000 ? ROOM_OF_15 : ROOM;
    }

    /** Creates the statement of a text. */
    @FunctionalInterface
    interface Preparation<S> {
      S prepare(String text) throws SQLException;
    }

    private static final class Kept<S> {
      private final S statement;
      private long usedAt;

      Kept(S statement) {
        this.statement = statement;
      }
    }

    /** Returns the kept statement of a text; null if it runs unprepared this time. */
    @Nullable S get(String text) throws SQLException {
      long now = System.nanoTime();
      Kept<S> known = kept.get(text);
      if (known == null) {
        if (isFirst(text) || !makeRoom(bytes(text), now)) {
          return null;
        }
        known = new Kept<>(preparation.prepare(text));
        kept.put(text, known);
        keptBytes += bytes(text);
      }
      known.usedAt = now;
      return known.statement;
    }

    /** Whether the statement of a text is kept, so that its text is not sent again. */
    boolean isKept(String text) {
      return kept.containsKey(text);
    }

    private static int bytes(String text) {
      return OF_A_KEPT_ONE + OF_A_KEPT_CHARACTER * text.length();
    }

    private boolean isFirst(String text) {
      if (seen.put(text, true) != null) {
        return false;
      }
      // What has no values is a command or defines something, which is counted there.
      seenBytes += text.indexOf('?') < 0 ? 0 : (long) OF_A_SEEN_CHARACTER * text.length();
      if (seen.size() > MOST_SEEN) {
        seen.remove(seen.keySet().iterator().next());
      }
      return true;
    }

    /** Records statements that define tables or views, and are never kept. */
    void defined(int statements) {
      seenBytes += (long) OF_A_DEFINITION * statements;
    }

    /** Records how many of all tables of its sort a statement opened, the next ones each time. */
    void opened(int tables, int all) {
      openedTables = Math.max(openedTables, Math.min(openedTables + tables, all));
    }

    /** Drops statements that no longer have room; called before those of a flush are looked up. */
    void tidyUp() {
      while (kept.size() > FEWEST && !hasRoom(0)) {
        drop();
      }
    }

    private boolean makeRoom(int bytes, long now) {
      while (kept.size() >= FEWEST && !hasRoom(bytes)) {
        if (now - kept.values().iterator().next().usedAt < IDLE_NANOS) {
          return false;
        }
        drop();
      }
      return true;
    }

    private boolean hasRoom(int bytes) {
      long others = seenBytes + (long) openedTables * OF_AN_OPENED_TABLE;
      return keptBytes + bytes + others <= room;
    }

    /** Drops the statement that is unused for the longest time. */
    private void drop() {
      Iterator<Map.Entry<String, Kept<S>>> oldest = kept.entrySet().iterator();
      Map.Entry<String, Kept<S>> entry = oldest.next();
      oldest.remove();
      keptBytes -= bytes(entry.getKey());
      close.accept(entry.getValue().statement);
    }
  }
}
