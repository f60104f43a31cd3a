package dev.rota.cli.tenant;

import dev.rota.Tenants;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import java.io.PrintStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Gives a tenant another name. */
@Command(
    name = "rename",
    description = "Give a tenant another name; its tasks and tables stay where they are.",
    sortOptions = false)
public final class TenantRenameCommand extends TenantAction {

  @Parameters(index = "0", paramLabel = "NAME", description = "The present name.")
  private String name = "";

  @Parameters(index = "1", paramLabel = "NEW-NAME", description = "The new name.")
  private String newName = "";

  public TenantRenameCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    int number = tenants.rename(name, newName).number();
    out.println("Tenant " + number + " is now " + newName + ".");
  }
}
