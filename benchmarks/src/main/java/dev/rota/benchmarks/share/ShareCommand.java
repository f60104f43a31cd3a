package dev.rota.benchmarks.share;

import dev.rota.Rota;
import dev.rota.cli.common.StatusLine;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.database.CommandContext;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import dev.rota.daemon.RotationDaemon;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures how exactly tenants share workers by their weights. */
@Command(
    name = "share",
    description = {
      "Measure which part of the handlers' time each tenant gets while all have a backlog, beside"
          + " the part that its weight entitles it to.",
      "Without --jdbc-url or --embedded it starts a durable PostgreSQL of its own in a temporary"
          + " folder. In another database it uses new tenants and plans, which stay there."
    },
    sortOptions = false)
public final class ShareCommand implements Callable<Integer> {

  private static final int CONNECTIONS = 12;
  private static final Duration WINDOW = Duration.ofSeconds(10);

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  @Option(
      names = "--weights",
      paramLabel = "NUMBER",
      split = ",",
      defaultValue = "1,2,4,8",
      description = "The weights of the tenants, in turns; ${DEFAULT-VALUE} by default.")
  private List<Double> weights = List.of();

  @Option(
      names = "--run",
      paramLabel = "DURATION",
      split = ",",
      defaultValue = "1ms,5ms,20ms,50ms",
      description =
          "How long their tasks run, combined with the weights; ${DEFAULT-VALUE} by default.")
  private List<Duration> runs = List.of();

  @Option(
      names = "--tenants",
      paramLabel = "N",
      defaultValue = "100",
      description = "The number of tenants; ${DEFAULT-VALUE} by default.")
  private int tenants;

  @Option(
      names = "--processes",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "The number of workers, each with a Rota and a pool of its own in this JVM;",
        "${DEFAULT-VALUE} by default."
      })
  private int processes;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      defaultValue = "32",
      description = "The handlers of each worker; ${DEFAULT-VALUE} by default.")
  private int handlers;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "30",
      description = "How long to measure, in windows of 10 s; ${DEFAULT-VALUE} by default.")
  private int seconds;

  @Option(
      names = "--warmup",
      paramLabel = "SECONDS",
      defaultValue = "20",
      description = {
        "How long to run before measuring, until all tenants have paid for the tasks that began",
        "before the others came; ${DEFAULT-VALUE} by default."
      })
  private int warmup;

  @Option(names = "--json", description = "Print one JSON object instead of a table.")
  private boolean json;

  private final CommandContext context;

  /** Creates the command, which prints to the context's streams. */
  public ShareCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws InterruptedException {
    ShareSettings settings = settings();
    ShareReport report;
    try (CommandDatabase opened = context.openOrTemporary(database);
        Rota rota = opened.rotaBuilder().poolSize(CONNECTIONS).build();
        StatusLine line = context.statusLine()) {
      rota.admin().migrate();
      line.stage("tenants with a backlog");
      try (RotationDaemon daemon = RotationDaemon.builder(rota).start()) {
        report = new ShareTrial(opened, rota, settings).run();
      }
    }
    if (json) {
      context.printJson(report.fields());
    } else {
      context.printTable(report.rows());
      context.out().println(report.summary());
    }
    return 0;
  }

  private ShareSettings settings() {
    if (tenants < 1 || processes < 1 || handlers < 1 || seconds < 1) {
      throw new UsageException(
          "--tenants, --processes, --concurrency and --seconds must be at least 1");
    }
    if (runs.stream().anyMatch(run -> run.toMillis() < 1)) {
      throw new UsageException("--run must be at least 1ms, or the backlogs have no end");
    }
    Duration window = seconds < WINDOW.toSeconds() ? Duration.ofSeconds(seconds) : WINDOW;
    return new ShareSettings(
        tenants,
        weights,
        runs,
        new ShareSettings.Workers(processes, handlers),
        new ShareSettings.Pace(
            Duration.ofSeconds(warmup), window, (int) (seconds / window.toSeconds())));
  }
}
