package dev.rota.cli.graph;

import dev.rota.Tenants;
import dev.rota.cli.common.Json;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Table;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.cli.demo.DemoCommand;
import dev.rota.cli.tenant.TenantAction;
import dev.rota.graph.GraphProgress;
import dev.rota.graph.Graphs;
import dev.rota.graph.NodeState;
import dev.rota.graph.UnknownGraphException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows how far graphs have come. */
@Command(
    name = "show",
    description = "Show how far a graph of a tenant has come, or its newest graphs.",
    sortOptions = false)
final class GraphShowCommand extends TenantAction {

  @Parameters(index = "0", paramLabel = "TENANT", description = "The name of the tenant.")
  private String tenant = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "GRAPH",
      description = "The id of the graph; default: the newest ones.")
  private @Nullable Long id;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "20",
      description = "How many of the newest graphs; ${DEFAULT-VALUE} by default.")
  private int limit;

  @Option(names = "--json", description = "Print one JSON array instead of a table.")
  private boolean json;

  GraphShowCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    DemoCommand.requireInRange("--limit", limit, 1, 10_000);
    List<GraphProgress> found = found(tenants.get(tenant).graphs());
    if (json) {
      out.println(Json.render(found.stream().map(GraphShowCommand::fields).toList()));
    } else {
      table(found).print(out);
    }
  }

  private List<GraphProgress> found(Graphs graphs) {
    if (id == null) {
      return graphs.list(limit);
    }
    return List.of(
        graphs
            .find(id)
            .orElseThrow(
                () -> new UnknownGraphException("tenant '" + tenant + "' has no graph " + id)));
  }

  private static Table table(List<GraphProgress> found) {
    List<String> titles = new ArrayList<>(List.of("GRAPH", "CREATED", "TASKS"));
    for (NodeState state : NodeState.values()) {
      titles.add(state.name());
    }
    Table table = new Table(titles.toArray(String[]::new));
    for (GraphProgress graph : found) {
      List<String> cells = new ArrayList<>();
      cells.add(Long.toString(graph.id()));
      cells.add(Text.seconds(graph.createdAt()));
      cells.add(Text.count(graph.tasks()));
      for (NodeState state : NodeState.values()) {
        cells.add(Text.count(graph.count(state)));
      }
      table.add(cells.toArray(String[]::new));
    }
    return table;
  }

  private static Map<String, Object> fields(GraphProgress graph) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("id", graph.id());
    fields.put("createdAt", graph.createdAt().toString());
    fields.put("tasks", graph.tasks());
    for (NodeState state : NodeState.values()) {
      fields.put(state.name().toLowerCase(Locale.ROOT), graph.count(state));
    }
    fields.put("finished", graph.isFinished());
    return fields;
  }
}
