package dev.rota.benchmarks.load.command;

import static dev.rota.benchmarks.load.command.Ranges.within;

import dev.rota.benchmarks.load.LoadSettings;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The options of the worker. */
final class ConsumptionOptions {

  @Option(
      names = "--worker-batch",
      paramLabel = "N",
      defaultValue = "1000",
      description =
          "The most tasks that one claim takes from one tenant; ${DEFAULT-VALUE} by default.")
  private int batch;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      description = "Handlers that run at the same time; the number of processors by default.")
  private int concurrency = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--handler-sleep",
      paramLabel = "DURATION",
      defaultValue = "0ms",
      description = "How long a handler sleeps; not at all by default.")
  private Duration sleep = Duration.ZERO;

  @Option(
      names = "--handle-batches",
      description = "Pass all tasks of a claim to the handler together, instead of task by task.")
  private boolean together;

  @Option(names = "--hourly-statistics", description = "Let the worker keep its hourly statistics.")
  private boolean hourlyStatistics;

  LoadSettings.Consumption settings() {
    return new LoadSettings.Consumption(
        within("--concurrency", concurrency, 1, 10_000),
        within("--worker-batch", batch, 1, 10_000),
        within("--handler-sleep", sleep, Duration.ZERO, Duration.ofMinutes(1)),
        together,
        hourlyStatistics);
  }
}
