package dev.rota.cli.limit;

import dev.rota.Rota;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import dev.rota.limits.Controls;

/** Opens the database of a command that changes rules. */
record RuleCalls(Terminal terminal, Secrets secrets) {

  /** Acts on rules, and tells the exit code. */
  @FunctionalInterface
  interface Action {
    int act(Controls controls);
  }

  int run(DatabaseOptions options, Action action) {
    try (CommandDatabase database = options.open(terminal, secrets);
        Rota rota = database.openRota()) {
      database.requireSchema();
      return action.act(rota.controls());
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }
}
