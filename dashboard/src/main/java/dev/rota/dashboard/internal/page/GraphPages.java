package dev.rota.dashboard.internal.page;

import dev.rota.Rota;
import dev.rota.dashboard.internal.view.Constants;
import dev.rota.dashboard.internal.view.Show;
import dev.rota.dashboard.internal.view.View;
import dev.rota.dashboard.internal.view.View.Cell;
import dev.rota.dashboard.internal.view.View.Choice;
import dev.rota.dashboard.internal.view.View.Choices;
import dev.rota.dashboard.internal.view.View.Column;
import dev.rota.dashboard.internal.view.View.Table;
import dev.rota.dashboard.internal.view.Visit;
import dev.rota.graph.GraphProgress;
import dev.rota.graph.NodeState;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The graphs of a tenant and their progress. Thread-safe. */
public final class GraphPages {

  private static final int ROWS = 50;

  private final Rota rota;
  private final SharedReads reads;

  public GraphPages(Rota rota, SharedReads reads) {
    this.rota = rota;
    this.reads = reads;
  }

  public View graphs(Visit visit) {
    String tenant = visit.required("tenant");
    visit.require(tenant);
    List<GraphProgress> graphs =
        reads.get(List.of("graphs", tenant), () -> rota.tenants().get(tenant).graphs().list(ROWS));
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

  private static List<Cell> row(Visit visit, String tenant, GraphProgress graph) {
    return Stream.of(
            Stream.of(Cell.of(Long.toString(graph.id())), Cell.of(Show.instant(graph.createdAt()))),
            Stream.of(NodeState.values()).map(state -> Cell.of(Show.count(graph.count(state)))),
            Stream.of(Offers.ofGraph(visit, tenant, graph)))
        .flatMap(cells -> cells)
        .toList();
  }
}
