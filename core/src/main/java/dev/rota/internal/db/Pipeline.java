package dev.rota.internal.db;

import dev.rota.internal.db.StatementGroup.Part;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.ParameterList;
import org.postgresql.core.Query;
import org.postgresql.core.QueryExecutor;

/**
 * Sends any mix of statements of one connection in one flush, each by the name under which the
 * server keeps it prepared. Used by one transaction at a time, which is Rota's own and has its BEGIN
 * in the first flush.
 *
 * <p>JDBC prepares the text of a whole flush, and a claim from several tenants combines others each
 * time. So Rota hands the driver's query executor a query whose parts are prepared statements, as
 * the driver does with a text of several statements.
 *
 * <p>All values have a type: the driver describes a statement with a value of unknown type, and from
 * then on sends a Sync after it. Rows come in binary from a statement that is kept.
 */
final class Pipeline {

  private static final int MOST_TEMPLATES = 64;

  private final QueryExecutor executor;
  private final StatementCache<Query> prepared;
  private final Map<List<Integer>, Query> templates = new LinkedHashMap<>(16, 0.75f, true);

  Pipeline(QueryExecutor executor) {
    this.executor = executor;
    this.prepared = new StatementCache<>(this::query, Query::close);
  }

  /** The statements that the server keeps for this connection. */
  StatementCache<Query> prepared() {
    return prepared;
  }

  /** Sends everything and reads the results. */
  void run(Connection connection, List<Part> parts) throws SQLException {
    List<Query> unkept = new ArrayList<>();
    PipelineResults results = new PipelineResults();
    try {
      Query[] queries = queries(parts, unkept);
      Query query = queries.length == 1 ? queries[0] : new PipelinedQuery(queries);
      int flags = QueryExecutor.QUERY_SUPPRESS_BEGIN;
      executor.execute(query, values(parts, queries), results, 0, 0, flags);
    } finally {
      unkept.forEach(Query::close);
    }
    results.read(parts, connection.unwrap(BaseConnection.class));
  }

  /**
   * The statements of the parts. Those that are not kept have a name too, until the next flush: the
   * driver gives names to all statements of a flush or to none.
   */
  private Query[] queries(List<Part> parts, List<Query> unkept) throws SQLException {
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

  private ParameterList values(List<Part> parts, Query[] queries) throws SQLException {
    Query shape = queries.length == 1 ? queries[0] : template(parts);
    ParameterList values = shape.createParameterList();
    int place = 0;
    for (Part part : parts) {
      for (Object value : part.binds()) {
        BinaryValue.bind(values, ++place, value);
      }
    }
    return values;
  }

  /**
   * A query of as many statements with as many values each: the driver makes a list of values for
   * several statements only from a text.
   */
  private Query template(List<Part> parts) throws SQLException {
    List<Integer> shape = parts.stream().map(part -> part.binds().size()).toList();
    Query known = templates.get(shape);
    if (known != null) {
      return known;
    }
    Query template =
        query(shape.stream().map(Pipeline::statement).collect(Collectors.joining(";")));
    templates.put(shape, template);
    if (templates.size() > MOST_TEMPLATES) {
      templates.remove(templates.keySet().iterator().next());
    }
    return template;
  }

  private static String statement(int values) {
    return values == 0 ? "select 1" : "select " + String.join(",", Collections.nCopies(values, "?"));
  }
}
