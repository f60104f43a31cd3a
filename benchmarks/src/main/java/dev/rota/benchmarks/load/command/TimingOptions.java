package dev.rota.benchmarks.load.command;

import static dev.rota.benchmarks.load.command.Ranges.within;

import dev.rota.benchmarks.load.LoadSettings;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The options of the durations. */
final class TimingOptions {

  private static final int DAY_SECONDS = 86_400;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "30",
      description = "How long to measure; ${DEFAULT-VALUE} by default.")
  private int seconds;

  @Option(
      names = "--warmup",
      paramLabel = "SECONDS",
      defaultValue = "15",
      description = "How long to run before measuring; ${DEFAULT-VALUE} by default.")
  private int warmup;

  @Option(
      names = "--patience",
      paramLabel = "DURATION",
      defaultValue = "60s",
      description =
          "Give up the drain, and count as lost what is missing, when nothing moves for so long;"
              + " ${DEFAULT-VALUE} by default.")
  private Duration patience = Duration.ofSeconds(60);

  LoadSettings.Timing settings() {
    return new LoadSettings.Timing(
        Duration.ofSeconds(within("--warmup", warmup, 0, DAY_SECONDS)),
        Duration.ofSeconds(within("--seconds", seconds, 1, DAY_SECONDS)),
        within("--patience", patience, Duration.ofSeconds(1), Duration.ofHours(1)));
  }
}
