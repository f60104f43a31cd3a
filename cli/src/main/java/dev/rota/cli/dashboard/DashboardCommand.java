package dev.rota.cli.dashboard;

import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Serves the dashboard until a signal stops it. */
@Command(
    name = "dashboard",
    description = {
      "Serve pages over all tenants to browsers of this machine, until SIGTERM or Ctrl-C: tasks,"
          + " kinds, failures, schedules, workers, storage. --dashboard-address serves others.",
      "It reads nothing while no page is open, and changes nothing unless it is told to."
    },
    sortOptions = false)
public final class DashboardCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Listen on this port, or on any with 0 (default: ${DEFAULT-VALUE}).")
  private int port = 8085;

  @Mixin private final ServingOptions serving = new ServingOptions();

  private final Terminal terminal;
  private final Secrets secrets;

  public DashboardCommand(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  @Override
  public Integer call() {
    serving.check(port, terminal.environment(), secrets);
    try (CommandDatabase database = options.open(terminal, secrets)) {
      database.requireSchema();
      try (RunningDashboard served = RunningDashboard.start(database, serving, port, terminal)) {
        awaitSignal();
        terminal.err().println("rota: the dashboard stops");
      }
      return 0;
    }
  }

  private static void awaitSignal() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      // Not restored: the orderly end follows, which must be able to wait.
      return;
    }
  }
}
