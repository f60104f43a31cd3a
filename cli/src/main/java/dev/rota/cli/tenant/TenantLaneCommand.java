package dev.rota.cli.tenant;

import dev.rota.Tenants;
import dev.rota.cli.common.PriorityConverter;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import java.io.PrintStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a lane of a tenant. */
@Command(
    name = "lane",
    description =
        "Make the lane of a priority ahead of its first task, for producers that may not make"
            + " tables. Safe to repeat.",
    sortOptions = false)
public final class TenantLaneCommand extends TenantAction {

  @Parameters(paramLabel = "NAME", description = "The name of the tenant.")
  private String name = "";

  @Option(
      names = "--priority",
      paramLabel = "PRIORITY",
      converter = PriorityConverter.class,
      required = true,
      description = "-1000 to 1000; a tenant has at most nine beside 0.")
  private int priority;

  public TenantLaneCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    tenants.get(name).addLane(priority);
    out.println(name + " has a lane of priority " + priority + ".");
  }
}
