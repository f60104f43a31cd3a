package dev.rota.cli;

import dev.rota.Rota;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Creates or updates the schema. */
@Command(
    name = "migrate",
    description = "Create or update the schema of Rota. Safe to repeat.",
    sortOptions = false)
final class MigrateCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();

  private final Terminal terminal;
  private final Secrets secrets;

  MigrateCommand(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  @Override
  public Integer call() {
    try (Database database = options.open(terminal, secrets);
        Rota rota = database.openRota()) {
      rota.migrate();
      terminal.out().println("The schema " + database.schema() + " is up to date.");
      return 0;
    }
  }
}
