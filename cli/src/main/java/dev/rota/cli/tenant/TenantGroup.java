package dev.rota.cli.tenant;

import dev.rota.Rota;
import dev.rota.Tenants;
import dev.rota.cli.common.CommandGroup;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import java.io.PrintStream;
import java.util.function.BiConsumer;

/** A group of commands on tenants whose methods open the database that their options name. */
public abstract class TenantGroup extends CommandGroup {

  private final Terminal terminal;
  private final Secrets secrets;

  protected TenantGroup(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  /**
   * Opens the database, lets the command act, and closes it.
   *
   * @param action is given the tenants, and where results go
   * @return the exit code of success
   */
  protected final int run(DatabaseOptions options, BiConsumer<Tenants, PrintStream> action) {
    try (CommandDatabase database = options.open(terminal, secrets);
        Rota rota = database.openRota()) {
      database.requireSchema();
      action.accept(rota.tenants(), terminal.out());
      return 0;
    }
  }
}
