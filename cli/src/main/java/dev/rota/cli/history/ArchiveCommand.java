package dev.rota.cli.history;

import dev.rota.archive.ForeignHistory;
import dev.rota.cli.common.CommandGroup;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import java.io.PrintStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The group of commands about archived history. */
@Command(
    name = "archive",
    description = "Let archived history be read with SQL inside PostgreSQL.",
    synopsisSubcommandLabel = "COMMAND",
    addMethodSubcommands = false)
public final class ArchiveCommand extends CommandGroup {

  private final Terminal terminal;
  private final Secrets secrets;

  private ArchiveCommand(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  public static CommandLine withSubcommands(Terminal terminal, Secrets secrets) {
    return new ArchiveCommand(terminal, secrets).with("attach", "detach");
  }

  @Command(
      description = {
        "Make the archived history of tenants readable with SQL, as table task_archive_N.",
        "Repeat it to add what was archived since and to remove what has expired."
      },
      sortOptions = false)
  int attach(@Mixin ForeignHistoryOptions options) {
    PrintStream out = terminal.out();
    return options.forEach(
        terminal,
        secrets,
        (foreign, tenant) -> {
          ForeignHistory.Attached attached = foreign.attach(tenant);
          out.printf(
              "%s: %s has %d segments, %d of them new; %d were removed.%n",
              tenant.name(),
              attached.table(),
              attached.files(),
              attached.added(),
              attached.removed());
        });
  }

  @Command(
      description = "Remove the tables and copies that attach made; the archive stays as it is.",
      sortOptions = false)
  int detach(@Mixin ForeignHistoryOptions options) {
    return options.forEach(
        terminal,
        secrets,
        (foreign, tenant) -> {
          foreign.detach(tenant);
          terminal.out().println(tenant.name() + " is detached.");
        });
  }
}
