package dev.rota.graph.internal;

import dev.rota.NewTask;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.enqueue.TaskInserts;
import dev.rota.internal.payload.StoredText;
import dev.rota.internal.settle.TaskFlags;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.TenantRef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Turns the rows of a new graph into statements, each of at most some thousand rows. They go in
 * several flushes: the driver holds several copies of the payloads of a flush.
 */
final class GraphCalls {

  private static final Sql ADD_GRAPH = Sql.named("add_graph");
  private static final Sql ADD_NODES = Sql.named("add_nodes");
  private static final Sql ADD_EDGES = Sql.named("add_edges");
  private static final Sql HOLD_TASKS = Sql.named("hold_tasks");
  private static final Sql SPREAD = Sql.named("spread");

  private static final int CHUNK = 5_000;

  private final TenantRef tenant;
  private final TenantTables tables;
  private final GraphRows rows;
  private final List<List<BoundStatement<Integer>>> flushes = new ArrayList<>();
  private List<BoundStatement<Integer>> calls = new ArrayList<>();

  private GraphCalls(TenantRef tenant, GraphRows rows) {
    this.tenant = tenant;
    this.tables = tenant.tables();
    this.rows = rows;
  }

  static List<List<BoundStatement<Integer>>> of(TenantRef tenant, long graph, GraphRows rows) {
    return new GraphCalls(tenant, rows).all(graph);
  }

  /** A chunk of rows. */
  private interface Chunk {
    void add(int from, int to);
  }

  private List<List<BoundStatement<Integer>>> all(long graph) {
    flushes.add(calls);
    int count = rows.ids.length;
    long last = count == 0 ? graph : rows.ids[count - 1];
    calls.add(
        BoundStatement.storing(
            1,
            tenant.label(),
            ADD_GRAPH.call(),
            ADD_GRAPH.on("graphs", tables.graphs()),
            graph,
            graph,
            last));
    inChunks(count, (from, to) -> addNodes(graph, from, to));
    inChunks(rows.edges.size(), this::addEdges);
    inChunks(rows.unrun.size(), this::spread);
    inFlushes(rows.held, this::hold);
    inFlushes(rows.active, this::enqueue);
    return flushes;
  }

  private static void inChunks(int count, Chunk chunk) {
    for (int from = 0; from < count; from += CHUNK) {
      chunk.add(from, Math.min(from + CHUNK, count));
    }
  }

  /** Adds the statements of each chunk of tasks; each chunk but the first begins a flush. */
  private void inFlushes(List<Integer> indices, Consumer<List<Integer>> chunk) {
    boolean first = true;
    for (List<Integer> some : TaskInserts.chunks(indices, rows::task)) {
      if (!first) {
        calls = new ArrayList<>();
        flushes.add(calls);
      }
      first = false;
      chunk.accept(some);
    }
  }

  private void addNodes(long graph, int from, int to) {
    calls.add(
        BoundStatement.storing(
            to - from,
            tenant.label(),
            ADD_NODES.call(),
            ADD_NODES.on("nodes", tables.nodes()),
            graph,
            Arrays.copyOfRange(rows.ids, from, to),
            Arrays.copyOfRange(rows.culprits, from, to),
            Arrays.copyOfRange(rows.missing, from, to),
            Arrays.copyOfRange(rows.states, from, to),
            Arrays.copyOfRange(rows.policies, from, to)));
  }

  private void addEdges(int from, int to) {
    List<long[]> edges = rows.edges.subList(from, to);
    calls.add(
        BoundStatement.storing(
            to - from,
            tenant.label(),
            ADD_EDGES.call(),
            ADD_EDGES.on("edges", tables.edges()),
            edges.stream().mapToLong(edge -> edge[0]).toArray(),
            edges.stream().mapToLong(edge -> edge[1]).toArray()));
  }

  private void hold(List<Integer> indices) {
    int count = indices.size();
    @Nullable Long[] times = new Long[count];
    @Nullable Long[] pauses = new Long[count];
    @Nullable Long[] parents = new Long[count];
    @Nullable Short[] lanes = new Short[count];
    String[] kinds = new String[count];
    String[] payloads = new String[count];
    for (int i = 0; i < count; i++) {
      NewTask task = rows.task(indices.get(i));
      times[i] = task.runAt().map(TaskInserts::micros).orElse(null);
      pauses[i] = task.delay().map(TaskInserts::micros).orElse(null);
      parents[i] = TaskInserts.parentOf(task);
      lanes[i] = TaskInserts.laneColumn(tenant, task);
      kinds[i] = task.kind();
      payloads[i] = StoredText.of(task);
    }
    calls.add(
        BoundStatement.storing(
            count,
            tenant.label(),
            HOLD_TASKS.call(),
            HOLD_TASKS.on("held", tables.held()),
            idsOf(indices),
            times,
            pauses,
            parents,
            lanes,
            kinds,
            payloads));
  }

  private void spread(int from, int to) {
    List<Integer> indices = rows.unrun.subList(from, to);
    String[] reasons =
        indices.stream()
            .map(index -> "task " + rows.culprits[index] + ", which it depends on, did not succeed")
            .toArray(String[]::new);
    calls.add(
        BoundStatement.storing(
            to - from,
            tenant.label(),
            SPREAD.call(),
            SPREAD.on("spread", tables.spread()),
            idsOf(indices),
            reasons));
  }

  private void enqueue(List<Integer> indices) {
    int[] traits = new int[indices.size()];
    Arrays.fill(traits, TaskFlags.NODE);
    calls.addAll(
        TaskInserts.of(tenant, indices.stream().map(rows::task).toList(), idsOf(indices), traits));
  }

  private long[] idsOf(List<Integer> indices) {
    return indices.stream().mapToLong(index -> rows.ids[index]).toArray();
  }
}
