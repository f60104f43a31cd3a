package dev.rota.dashboard.internal.page;

import dev.rota.dashboard.internal.read.TenantReads;
import dev.rota.dashboard.internal.view.Constants;
import dev.rota.dashboard.internal.view.Show;
import dev.rota.dashboard.internal.view.View;
import dev.rota.dashboard.internal.view.View.Cell;
import dev.rota.dashboard.internal.view.View.Choice;
import dev.rota.dashboard.internal.view.View.Choices;
import dev.rota.dashboard.internal.view.View.Column;
import dev.rota.dashboard.internal.view.View.Figure;
import dev.rota.dashboard.internal.view.View.Figures;
import dev.rota.dashboard.internal.view.View.Note;
import dev.rota.dashboard.internal.view.View.Table;
import dev.rota.dashboard.internal.view.Visit;
import dev.rota.graph.GraphNode;
import dev.rota.graph.GraphProgress;
import dev.rota.graph.NodeState;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The graphs of a tenant and their progress. Thread-safe. */
public final class GraphPages {

  private static final int MOST_ROWS = 200;
  private static final int MOST_CHILDREN = 20;

  private final TenantReads reads;

  public GraphPages(TenantReads reads) {
    this.reads = reads;
  }

  public View graphs(Visit visit) {
    String tenant = TenantReads.tenant(visit, "tenant");
    List<GraphProgress> graphs = reads.graphs(tenant);
    List<Column> columns = new ArrayList<>();
    columns.add(Column.number("Graph"));
    columns.add(Column.text("Enqueued"));
    for (NodeState state : NodeState.values()) {
      columns.add(Column.number(Constants.nameOf(state)));
    }
    columns.add(Column.text("Do"));
    Choices back =
        new Choices(
            "Go to", List.of(new Choice("the tenant", visit.links().tenant(tenant), false)));
    return new View(
        "Graphs of " + tenant,
        "/tenants",
        List.of(back),
        List.of(
            new Table(
                "The newest graphs, and their tasks by state",
                columns,
                graphs.stream().map(graph -> row(visit, tenant, graph)).toList(),
                "It has no graph.")));
  }

  /** One graph: its tasks, and which of them wait for others. */
  public View graph(Visit visit) {
    String tenant = TenantReads.tenant(visit, "tenant");
    long id = TenantReads.id(visit);
    GraphProgress graph = reads.graph(tenant, id);
    List<GraphNode> nodes = reads.nodes(tenant, id);
    List<Choice> links = new ArrayList<>();
    links.add(new Choice("graphs of the tenant", graphs(visit, tenant), false));
    links.addAll(Offers.ofGraph(visit, tenant, graph).further());
    return new View(
        "Graph " + id + " of " + tenant,
        "/tenants",
        List.of(new Choices("Go to", links)),
        List.of(
            figures(graph),
            GraphPicture.of(nodes, task -> visit.links().task(tenant, task)),
            tasks(visit, tenant, graph, nodes)));
  }

  private static String graphs(Visit visit, String tenant) {
    return visit.links().to("/graphs", "tenant", tenant);
  }

  private static Figures figures(GraphProgress graph) {
    return new Figures(
        Stream.concat(
                Stream.of(Figure.of("enqueued", Show.instant(graph.createdAt()))),
                Stream.of(NodeState.values())
                    .map(
                        state ->
                            Figure.of(Constants.nameOf(state), Show.count(graph.count(state)))))
            .toList());
  }

  private static Table tasks(
      Visit visit, String tenant, GraphProgress graph, List<GraphNode> nodes) {
    return new Table(
        nodes.size() < graph.tasks()
            ? "The first %s of %s tasks"
                .formatted(Show.count(nodes.size()), Show.count(graph.tasks()))
            : "Its tasks",
        List.of(
            Column.number("Task"),
            Column.text("State"),
            Column.text("Kind"),
            Column.text("These depend on it")),
        nodes.stream().limit(MOST_ROWS).map(node -> row(visit, tenant, node)).toList(),
        "It has no task.",
        nodes.size() <= MOST_ROWS
            ? List.of()
            : List.of(
                new Note(
                    "The table ends after %d tasks; the picture has %s."
                        .formatted(MOST_ROWS, Show.count(nodes.size())),
                    null,
                    false)));
  }

  private static List<Cell> row(Visit visit, String tenant, GraphNode node) {
    return List.of(
        Cell.link(Long.toString(node.taskId()), visit.links().task(tenant, node.taskId())),
        Cell.of(Constants.nameOf(node.state())),
        Cell.titled(
            node.kind().orElse(""), "Of tasks that are blocked; later it is on their pages"),
        Cell.links(
            node.children().stream()
                .limit(MOST_CHILDREN)
                .map(
                    child -> new Choice(child.toString(), visit.links().task(tenant, child), false))
                .toList()));
  }

  private static List<Cell> row(Visit visit, String tenant, GraphProgress graph) {
    return Stream.of(
            Stream.of(
                Cell.link(Long.toString(graph.id()), visit.links().graph(tenant, graph.id())),
                Cell.of(Show.instant(graph.createdAt()))),
            Stream.of(NodeState.values()).map(state -> Cell.of(Show.count(graph.count(state)))),
            Stream.of(Offers.ofGraph(visit, tenant, graph)))
        .flatMap(cells -> cells)
        .toList();
  }
}
