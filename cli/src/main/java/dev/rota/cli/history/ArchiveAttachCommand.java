package dev.rota.cli.history;

import dev.rota.Tenant;
import dev.rota.archive.ForeignHistory;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import java.io.PrintStream;
import picocli.CommandLine.Command;

/** Makes archived history readable with SQL, or brings that up to date. */
@Command(
    name = "attach",
    description = {
      "Make the archived history of tenants readable with SQL, as table task_archive_N.",
      "Repeat it to add what was archived since and to remove what has expired."
    },
    sortOptions = false)
final class ArchiveAttachCommand extends ArchiveAction {

  ArchiveAttachCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(ForeignHistory foreign, Tenant tenant, PrintStream out) {
    ForeignHistory.Attached attached = foreign.attach(tenant);
    out.printf(
        "%s: %s has %d segments, %d of them new; %d were removed.%n",
        tenant.name(), attached.table(), attached.files(), attached.added(), attached.removed());
  }
}
