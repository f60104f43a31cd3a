package dev.rota.cli;

import dev.rota.Tenants;
import java.io.PrintStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Opens a closed tenant again. */
@Command(name = "reopen", description = "Open a closed tenant again.", sortOptions = false)
final class TenantReopenCommand extends TenantAction {

  @Parameters(paramLabel = "NAME", description = "The name of the tenant.")
  private String name = "";

  TenantReopenCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  void act(Tenants tenants, PrintStream out) {
    int number = tenants.reopen(name).number();
    out.println("Tenant " + number + ", " + name + ", is open.");
  }
}
