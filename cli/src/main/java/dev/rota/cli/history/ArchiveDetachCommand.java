package dev.rota.cli.history;

import dev.rota.Tenant;
import dev.rota.archive.ForeignHistory;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import java.io.PrintStream;
import picocli.CommandLine.Command;

/** Takes back what {@link ArchiveAttachCommand} made. */
@Command(
    name = "detach",
    description = "Remove the tables and copies that attach made; the archive stays as it is.",
    sortOptions = false)
final class ArchiveDetachCommand extends ArchiveAction {

  ArchiveDetachCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(ForeignHistory foreign, Tenant tenant, PrintStream out) {
    foreign.detach(tenant);
    out.println(tenant.name() + " is detached.");
  }
}
