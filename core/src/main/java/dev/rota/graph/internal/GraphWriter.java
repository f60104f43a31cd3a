package dev.rota.graph.internal;

import dev.rota.InvalidTaskException;
import dev.rota.NewTask;
import dev.rota.graph.EnqueuedGraph;
import dev.rota.graph.TaskGraph;
import dev.rota.graph.UnknownParentException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.enqueue.Doorbell;
import dev.rota.internal.enqueue.IdAllocator;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.LaneCreator;
import dev.rota.internal.tenant.LazyTables;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantRef;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Stores graphs of one tenant, in a transaction of Rota's own or in the caller's. */
public final class GraphWriter {

  private static final Sql LOCK_PARENTS = Sql.named("lock_parents");

  private final Parts parts;
  private final TaskValidator rules;
  private final LaneCreator laneCreator;
  private final TenantRef tenant;

  GraphWriter(Parts parts, TaskValidator rules, LaneCreator laneCreator, TenantRef tenant) {
    this.parts = parts;
    this.rules = rules;
    this.laneCreator = laneCreator;
    this.tenant = tenant;
  }

  /** The parts that the graphs of all tenants of one Rota share. */
  public record Parts(
      Database database,
      IdAllocator taskIds,
      Doorbell doorbell,
      LazyTables tables,
      SkipPropagator skips) {}

  EnqueuedGraph enqueue(TaskGraph graph) {
    List<NewTask> tasks = check(graph);
    parts.tables.ensure(tenant);
    laneCreator.ensure(tenant, tasks);
    Stored stored =
        tenant.charged(
            tasks,
            () -> parts.database.transaction(purpose(), session -> insert(session, graph, tasks)));
    GraphRows rows = stored.rows();
    if (rows.hasPending()) {
      parts.doorbell.ring(tenant.number());
    }
    if (!rows.unrun.isEmpty()) {
      parts.skips.soon(tenant);
    }
    return stored.enqueued();
  }

  EnqueuedGraph enqueue(Connection connection, TaskGraph graph) {
    List<NewTask> tasks = check(graph);
    return parts.database.inCallersTransaction(
        connection,
        purpose(),
        session -> {
          parts.tables.ensure(session, tenant);
          laneCreator.ensure(tenant, tasks);
          return tenant.charged(tasks, () -> insert(session, graph, tasks)).enqueued();
        });
  }

  /** A stored graph; its id is smaller than those of its tasks. */
  private record Stored(long id, GraphRows rows) {
    EnqueuedGraph enqueued() {
      return new EnqueuedGraph(id, Arrays.stream(rows.idsByPosition()).boxed().toList());
    }
  }

  /** Returns the tasks to store, in the order in which they were added. */
  private List<NewTask> check(TaskGraph graph) {
    tenant.refuseClosed();
    List<NewTask> tasks = rules.checkAll(graph.nodes().stream().map(TaskGraph.Node::task).toList());
    for (int i = 0; i < tasks.size(); i++) {
      if (tasks.get(i).key().isPresent()) {
        throw new InvalidTaskException(
            "task " + i + " of the graph has a key; tasks of a graph take none", "key", i);
      }
    }
    return tasks;
  }

  private Stored insert(Session session, TaskGraph graph, List<NewTask> tasks) throws SQLException {
    long[] ids = parts.taskIds.takeTogether(graph.nodes().size() + 1, session);
    tenant.admit(session, graph.nodes().size());
    Arrays.sort(ids);
    long[] ofTasks = Arrays.copyOfRange(ids, 1, ids.length);
    GraphRows rows = new GraphRows(graph, tasks, ofTasks, lockParents(session, graph));
    for (List<BoundStatement<Integer>> flush : GraphCalls.of(tenant, ids[0], rows)) {
      session.runAll(flush);
    }
    return new Stored(ids[0], rows);
  }

  private Map<Long, NodeCode> lockParents(Session session, TaskGraph graph) throws SQLException {
    long[] parents =
        graph.nodes().stream()
            .flatMap(node -> node.parentTasks().stream())
            .mapToLong(Long::longValue)
            .distinct()
            .sorted()
            .toArray();
    Map<Long, NodeCode> found = new HashMap<>();
    if (parents.length > 0) {
      session
          .run(
              BoundStatement.query(
                  LOCK_PARENTS.call(),
                  LOCK_PARENTS.on("nodes", tenant.tables().nodes()),
                  row -> Map.entry(row.getLong(1), NodeCode.of(row.getInt(2))),
                  parents))
          .forEach(parent -> found.put(parent.getKey(), parent.getValue()));
      requireAll(parents, found);
    }
    return found;
  }

  private void requireAll(long[] parents, Map<Long, NodeCode> found) {
    List<Long> unknown =
        Arrays.stream(parents).filter(id -> !found.containsKey(id)).boxed().toList();
    if (!unknown.isEmpty()) {
      throw new UnknownParentException(
          "the graph depends on "
              + (unknown.size() == 1 ? "task " : "tasks ")
              + unknown.stream().limit(10).map(Object::toString).toList()
              + (unknown.size() > 10 ? " and " + (unknown.size() - 10) + " more" : "")
              + ", in no graph of "
              + tenant.label()
              + " or forgotten since; depend on tasks that were enqueued by graphs()",
          unknown);
    }
  }

  private String purpose() {
    return "enqueue a graph for " + tenant.label();
  }
}
