package dev.rota.cli;

import dev.rota.Rota;
import dev.rota.Tenants;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/** What the commands about tenants share. */
abstract class TenantAction implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();

  private final Terminal terminal;
  private final Secrets secrets;

  TenantAction(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  abstract void act(Tenants tenants, PrintStream out);

  @Override
  public final Integer call() {
    try (Database database = options.open(terminal, secrets);
        Rota rota = database.openRota()) {
      database.requireSchema();
      act(rota.tenants(), terminal.out());
      return 0;
    }
  }
}
