package dev.rota.cli;

import dev.rota.Tenants;
import java.io.PrintStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Gives a tenant another name. */
@Command(
    name = "rename",
    description = "Give a tenant another name; its tasks and tables stay where they are.",
    sortOptions = false)
final class TenantRenameCommand extends TenantAction {

  @Parameters(index = "0", paramLabel = "NAME", description = "The present name.")
  private String name = "";

  @Parameters(index = "1", paramLabel = "NEW-NAME", description = "The new name.")
  private String newName = "";

  TenantRenameCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  void act(Tenants tenants, PrintStream out) {
    int number = tenants.rename(name, newName).number();
    out.println("Tenant " + number + " is now " + newName + ".");
  }
}
