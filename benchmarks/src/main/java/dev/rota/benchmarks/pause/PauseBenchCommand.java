package dev.rota.benchmarks.pause;

import dev.rota.Rota;
import dev.rota.cli.common.StatusLine;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.database.CommandContext;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import dev.rota.daemon.RotationDaemon;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures how soon a pause holds, and ends, beside a deep backlog. */
@Command(
    name = "pause",
    description = {
      "Measure how long it takes to pause and to resume a tenant with a deep backlog, and when its"
          + " last task begins after a pause, and its first one after a resume.",
      "Without --jdbc-url or --embedded it starts a durable PostgreSQL of its own in a temporary"
          + " folder. In another database it uses a new tenant, which stays there, paused."
    },
    sortOptions = false)
public final class PauseBenchCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  @Option(
      names = "--pending",
      paramLabel = "N",
      defaultValue = "10000000",
      description = "The tasks of the tenant; ${DEFAULT-VALUE} by default.")
  private long pending;

  @Option(
      names = "--run",
      paramLabel = "DURATION",
      defaultValue = "5ms",
      description = "How long each of them runs; ${DEFAULT-VALUE} by default.")
  private Duration run = Duration.ZERO;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      defaultValue = "32",
      description = "How many handlers the worker has; ${DEFAULT-VALUE} by default.")
  private int handlers;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "100",
      description = "How often to pause and resume; ${DEFAULT-VALUE} by default.")
  private int rounds;

  @Option(
      names = "--quiet",
      paramLabel = "DURATION",
      defaultValue = "1s",
      description = "How long each pause lasts; ${DEFAULT-VALUE} by default.")
  private Duration quiet = Duration.ZERO;

  @Option(names = "--json", description = "Print one JSON object instead of a table.")
  private boolean json;

  private final CommandContext context;

  /** Creates the command, which prints to the context's streams. */
  public PauseBenchCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws InterruptedException {
    PauseReport report = measure(settings());
    if (json) {
      context.printJson(report.fields());
    } else {
      context.printTable(report.rows());
      context.out().println(report.summary());
    }
    return 0;
  }

  private PauseReport measure(PauseSettings settings) throws InterruptedException {
    try (CommandDatabase opened = context.openOrTemporary(database);
        Rota rota = opened.rotaBuilder().build();
        StatusLine line = context.statusLine()) {
      rota.admin().migrate();
      line.stage("a tenant with " + settings.pending() + " tasks");
      try (RotationDaemon daemon = RotationDaemon.builder(rota).start()) {
        return new PauseTrial(opened, settings).run();
      }
    }
  }

  private PauseSettings settings() {
    if (pending < 1 || handlers < 1 || rounds < 1) {
      throw new UsageException("--pending, --concurrency and --rounds must be at least 1");
    }
    if (run.toMillis() < 1 || quiet.toMillis() < 400) {
      throw new UsageException("--run must be at least 1ms, and --quiet 400ms");
    }
    return new PauseSettings(pending, run, handlers, rounds, quiet);
  }
}
