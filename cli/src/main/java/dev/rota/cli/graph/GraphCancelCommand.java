package dev.rota.cli.graph;

import dev.rota.Tenants;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.tenant.TenantAction;
import java.io.PrintStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Cancels what is left of a graph. */
@Command(
    name = "cancel",
    description = "Cancel the tasks of a graph that do not run yet, and print how many.",
    sortOptions = false)
final class GraphCancelCommand extends TenantAction {

  @Parameters(index = "0", paramLabel = "TENANT", description = "The name of the tenant.")
  private String tenant = "";

  @Parameters(index = "1", paramLabel = "GRAPH", description = "The id of the graph.")
  private long id;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Kept with the tasks (default: ${DEFAULT-VALUE}).")
  private String reason = "cancelled by an operator";

  GraphCancelCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    out.println(tenants.get(tenant).graphs().cancel(id, reason));
  }
}
