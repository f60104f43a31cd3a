package dev.rota.graph.internal;

import dev.rota.control.internal.PendingCanceller;
import dev.rota.graph.EnqueuedGraph;
import dev.rota.graph.GraphNode;
import dev.rota.graph.GraphProgress;
import dev.rota.graph.Graphs;
import dev.rota.graph.NodeState;
import dev.rota.graph.TaskGraph;
import dev.rota.graph.UnknownGraphException;
import dev.rota.internal.config.RotaConfig;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.LaneCreator;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.text.ErrorText;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jooq.DSLContext;

/** Default implementation of {@link Graphs}. */
public final class DefaultGraphs implements Graphs {

  private static final Sql FIND_GRAPH = Sql.named("find_graph");
  private static final Sql LIST_GRAPHS = Sql.named("list_graphs");
  private static final Sql LIST_NODES = Sql.named("list_nodes");

  private static final int MOST_LISTED = 10_000;

  private final GraphWriter.Parts parts;
  private final TaskValidator rules;
  private final LaneCreator laneCreator;
  private final Supplier<TenantRef> tenant;
  private final Function<TenantRef, PendingCanceller> cancellers;

  /**
   * Creates the graphs of one tenant.
   *
   * @param tenant fetches the tenant at each use, so that the registry can notice that it may be
   *     stale
   * @param cancellers create the canceller of a tenant's tasks
   */
  public DefaultGraphs(
      GraphWriter.Parts parts,
      TaskValidator rules,
      LaneCreator laneCreator,
      Supplier<TenantRef> tenant,
      Function<TenantRef, PendingCanceller> cancellers) {
    this.parts = parts;
    this.rules = rules;
    this.laneCreator = laneCreator;
    this.tenant = tenant;
    this.cancellers = cancellers;
  }

  @Override
  public EnqueuedGraph enqueue(TaskGraph graph) {
    return enqueuer().enqueue(graph);
  }

  @Override
  public EnqueuedGraph enqueue(Connection connection, TaskGraph graph) {
    return enqueuer().enqueue(connection, graph);
  }

  @Override
  public EnqueuedGraph enqueue(DSLContext context, TaskGraph graph) {
    return context.connectionResult(connection -> enqueue(connection, graph));
  }

  @Override
  public Optional<GraphProgress> find(long id) {
    return read(FIND_GRAPH, id).stream().findFirst();
  }

  @Override
  public List<GraphProgress> list(int limit) {
    return read(LIST_GRAPHS, RotaConfig.within("limit", limit, 1, MOST_LISTED));
  }

  @Override
  public List<GraphNode> nodes(long id, long after, int limit) {
    long most = RotaConfig.within("limit", limit, 1, MOST_LISTED);
    TenantRef ref = tenant.get();
    TenantTables tables = ref.tables();
    String sql =
        LIST_NODES.on(
            Map.of(
                "graphs", tables.graphs(),
                "nodes", tables.nodes(),
                "edges", tables.edges(),
                "held", tables.held()));
    return parts
        .database()
        .transaction(
            "read tasks of a graph of " + ref.label(),
            session ->
                parts.tables().exist(session, ref)
                    ? session.run(
                        BoundStatement.query(
                            LIST_NODES.call(), sql, DefaultGraphs::node, most, id, after, most))
                    : List.of());
  }

  private static GraphNode node(ResultSet row) throws SQLException {
    Long[] children = (Long[]) row.getArray(4).getArray();
    return new GraphNode(
        row.getLong(1),
        NodeCode.of(row.getInt(2)).state(),
        Optional.ofNullable(row.getString(3)),
        List.of(children));
  }

  @Override
  public long cancel(long id, String reason) {
    TenantRef ref = tenant.get();
    if (find(id).isEmpty()) {
      throw new UnknownGraphException(
          ref.label()
              + " has no graph "
              + id
              + "; a graph is forgotten some time after it finished");
    }
    return new GraphCanceller(parts.database(), parts.skips(), cancellers.apply(ref), ref)
        .cancel(id, ErrorText.cut(reason));
  }

  private GraphWriter enqueuer() {
    return new GraphWriter(parts, rules, laneCreator, tenant.get());
  }

  private List<GraphProgress> read(Sql statement, long bind) {
    TenantRef ref = tenant.get();
    return parts
        .database()
        .transaction(
            "read graphs of " + ref.label(), session -> read(session, ref, statement, bind));
  }

  private List<GraphProgress> read(Session session, TenantRef ref, Sql statement, long bind)
      throws SQLException {
    if (!parts.tables().exist(session, ref)) {
      return List.of();
    }
    Map<Long, Counts> byId = new LinkedHashMap<>();
    String sql = statement.on("graphs", ref.tables().graphs(), "nodes", ref.tables().nodes());
    session.run(BoundStatement.query(statement.call(), sql, row -> count(row, byId), bind));
    return byId.entrySet().stream()
        .map(each -> new GraphProgress(each.getKey(), each.getValue().at, each.getValue().counts))
        .toList();
  }

  /** Adds a row to the counts. A graph without tasks has one row without a state. */
  private static boolean count(ResultSet row, Map<Long, Counts> byId) throws SQLException {
    Instant createdAt = row.getObject(2, OffsetDateTime.class).toInstant();
    Counts counts = byId.computeIfAbsent(row.getLong(1), id -> new Counts(createdAt));
    if (row.getObject(3) != null) {
      counts.counts.put(NodeCode.of(row.getInt(3)).state(), row.getLong(4));
    }
    return true;
  }

  private static final class Counts {
    private final Instant at;
    private final Map<NodeState, Long> counts = new EnumMap<>(NodeState.class);

    Counts(Instant at) {
      this.at = at;
    }
  }
}
