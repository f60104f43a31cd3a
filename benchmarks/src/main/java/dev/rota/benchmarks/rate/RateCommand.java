package dev.rota.benchmarks.rate;

import dev.rota.Rota;
import dev.rota.cli.common.StatusLine;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.database.CommandContext;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import dev.rota.daemon.RotationDaemon;
import dev.rota.limits.Rate;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures how exactly processes keep rates of starts. */
@Command(
    name = "rate",
    description = {
      "Measure how many tasks of a kind with a rate begin, and how many in the worst second, while"
          + " processes with a worker each are killed and started anew.",
      "Without --jdbc-url or --embedded it starts a durable PostgreSQL of its own in a temporary"
          + " folder. In another database it uses new tenants and kinds; the tenants stay there."
    },
    sortOptions = false)
public final class RateCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  @Option(
      names = "--per-second",
      paramLabel = "N",
      split = ",",
      defaultValue = "2,100,20000",
      description = "The rates, one after another; ${DEFAULT-VALUE} by default.")
  private List<Integer> rates = List.of();

  @Option(
      names = "--processes",
      paramLabel = "N",
      defaultValue = "8",
      description = "The number of processes; ${DEFAULT-VALUE} by default.")
  private int processes;

  @Option(
      names = "--kill-every",
      paramLabel = "DURATION",
      defaultValue = "5s",
      description = "How often to kill one of them, 0 for never; ${DEFAULT-VALUE} by default.")
  private Duration killEvery = Duration.ZERO;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "60",
      description = "How long to measure each rate; ${DEFAULT-VALUE} by default.")
  private int seconds;

  @Option(
      names = "--warmup",
      paramLabel = "SECONDS",
      defaultValue = "15",
      description = "How long to run before measuring; ${DEFAULT-VALUE} by default.")
  private int warmup;

  @Option(names = "--json", description = "Print one JSON object instead of a table.")
  private boolean json;

  private final CommandContext context;

  /** Creates the command, which prints to the context's streams. */
  public RateCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<RateSettings> settings = rates.stream().map(this::settings).toList();
    List<RateReport.Round> rounds = new ArrayList<>();
    try (CommandDatabase opened = context.openOrTemporary(database);
        Rota rota = opened.rotaBuilder().build();
        StatusLine line = context.statusLine()) {
      rota.admin().migrate();
      try (RotationDaemon daemon = RotationDaemon.builder(rota).start()) {
        for (RateSettings each : settings) {
          line.stage("rate " + each.rate().text());
          rounds.add(RateTrial.run(opened, rota, each));
        }
      }
    }
    RateReport report = new RateReport(rounds);
    if (json) {
      context.printJson(report.fields());
    } else {
      context.printTable(report.rows());
    }
    return 0;
  }

  private RateSettings settings(int perSecond) {
    if (perSecond < 1 || processes < 1 || seconds < 1 || warmup < 0) {
      throw new UsageException(
          "--per-second, --processes and --seconds must be at least 1, and --warmup 0");
    }
    if (!killEvery.isZero() && killEvery.toMillis() < 100) {
      throw new UsageException("--kill-every must be 0, or at least 100ms");
    }
    return new RateSettings(
        Rate.of(perSecond, Duration.ofSeconds(1)),
        processes,
        killEvery,
        Duration.ofSeconds(warmup),
        Duration.ofSeconds(seconds));
  }
}
