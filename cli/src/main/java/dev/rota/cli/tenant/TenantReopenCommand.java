package dev.rota.cli.tenant;

import dev.rota.Tenants;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import java.io.PrintStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Opens a closed tenant again. */
@Command(name = "reopen", description = "Open a closed tenant again.", sortOptions = false)
public final class TenantReopenCommand extends TenantAction {

  @Parameters(paramLabel = "NAME", description = "The name of the tenant.")
  private String name = "";

  public TenantReopenCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    int number = tenants.reopen(name).number();
    out.println("Tenant " + number + ", " + name + ", is open.");
  }
}
