package dev.rota.cli.graph;

import dev.rota.cli.common.Listing;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Table;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.cli.database.DatabaseOptions;
import dev.rota.cli.demo.DemoCommand;
import dev.rota.cli.tenant.TenantGroup;
import dev.rota.graph.GraphProgress;
import dev.rota.graph.Graphs;
import dev.rota.graph.NodeState;
import dev.rota.graph.UnknownGraphException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The group of commands about graphs. */
@Command(
    name = "graph",
    description = "Show and cancel graphs: tasks that depend on each other.",
    synopsisSubcommandLabel = "COMMAND",
    addMethodSubcommands = false)
public final class GraphCommand extends TenantGroup {

  private GraphCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  public static CommandLine withSubcommands(Terminal terminal, Secrets secrets) {
    return new GraphCommand(terminal, secrets).with("show", "cancel");
  }

  @Command(
      description = "Show how far a graph of a tenant has come, or its newest graphs.",
      sortOptions = false)
  int show(
      @Mixin DatabaseOptions database,
      @Parameters(index = "0", paramLabel = "TENANT", description = "The name of the tenant.")
          String tenant,
      @Parameters(
              index = "1",
              arity = "0..1",
              paramLabel = "GRAPH",
              description = "The id of the graph; default: the newest ones.")
          @Nullable Long id,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "20",
              description = "How many of the newest graphs; ${DEFAULT-VALUE} by default.")
          int limit,
      @Option(names = "--json", description = "Print one JSON array instead of a table.")
          boolean json) {
    return run(
        database,
        (tenants, out) -> {
          DemoCommand.requireInRange("--limit", limit, 1, 10_000);
          Graphs graphs = tenants.get(tenant).graphs();
          List<GraphProgress> found =
              id == null ? graphs.list(limit) : List.of(find(graphs, tenant, id));
          new Listing<>(GraphCommand::fields, GraphCommand::table).print(found, json, out);
        });
  }

  @Command(
      description = "Cancel the tasks of a graph that do not run yet, and print how many.",
      sortOptions = false)
  int cancel(
      @Mixin DatabaseOptions database,
      @Parameters(index = "0", paramLabel = "TENANT", description = "The name of the tenant.")
          String tenant,
      @Parameters(index = "1", paramLabel = "GRAPH", description = "The id of the graph.") long id,
      @Option(
              names = "--reason",
              paramLabel = "TEXT",
              defaultValue = "cancelled by an operator",
              description = "Kept with the tasks (default: ${DEFAULT-VALUE}).")
          String reason) {
    return run(
        database, (tenants, out) -> out.println(tenants.get(tenant).graphs().cancel(id, reason)));
  }

  private static GraphProgress find(Graphs graphs, String tenant, long id) {
    return graphs
        .find(id)
        .orElseThrow(() -> new UnknownGraphException("tenant '" + tenant + "' has no graph " + id));
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
