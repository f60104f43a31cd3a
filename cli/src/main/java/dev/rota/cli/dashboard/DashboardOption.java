package dev.rota.cli.dashboard;

import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.database.CommandDatabase;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of commands that serve the dashboard beside their own work. */
public final class DashboardOption {

  @Option(
      names = "--dashboard",
      paramLabel = "PORT",
      arity = "0..1",
      fallbackValue = "8085",
      description =
          "Serve the dashboard to browsers of this machine, on port ${FALLBACK-VALUE} if none is"
              + " given, on any with 0.")
  private @Nullable Integer port;

  @Mixin private final ServingOptions serving = new ServingOptions();

  /**
   * Checks the options before the first connection, which may take long.
   *
   * @throws UsageException if they do not fit together
   */
  public void check(Terminal terminal, Secrets secrets) {
    if (port != null) {
      serving.check(port, terminal.environment(), secrets);
    } else if (serving.given() != null) {
      throw new UsageException(serving.given() + " needs --dashboard");
    }
  }

  /**
   * Serves the dashboard of a database over connections of its own, if the option is given.
   *
   * @return what to close; null if the option is not given
   */
  public @Nullable RunningDashboard serve(CommandDatabase database, Terminal terminal) {
    return port == null ? null : RunningDashboard.start(database, serving, port, terminal);
  }
}
