package dev.rota.cli.tenant;

import dev.rota.Tenants;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import java.io.PrintStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Closes a tenant. */
@Command(
    name = "close",
    description =
        "Close a tenant: it refuses new tasks, works off what is pending, and stays readable.",
    sortOptions = false)
public final class TenantCloseCommand extends TenantAction {

  @Parameters(paramLabel = "NAME", description = "The name of the tenant.")
  private String name = "";

  public TenantCloseCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    tenants.close(name);
    out.println(name + " is closed.");
  }
}
