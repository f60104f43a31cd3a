package dev.rota.benchmarks.load.command;

import static dev.rota.benchmarks.load.command.Ranges.within;

import dev.rota.benchmarks.load.LoadSettings;
import dev.rota.cli.common.SizeConverter;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The options of the rotation. */
final class RotationOptions {

  @Option(
      names = "--rotate-every",
      paramLabel = "DURATION",
      defaultValue = "60s",
      description = "How often the ring of a tenant is switched; ${DEFAULT-VALUE} by default.")
  private Duration period = Duration.ofSeconds(60);

  @Option(
      names = "--segment-size",
      paramLabel = "SIZE",
      defaultValue = "8MB",
      converter = SizeConverter.class,
      description =
          "The size from which on history gets a new segment; ${DEFAULT-VALUE} by default.")
  private long segmentBytes;

  @Option(
      names = "--keep",
      paramLabel = "DURATION",
      defaultValue = "10s",
      description =
          "How long full segments of history and ledger are kept; ${DEFAULT-VALUE} by default, so"
              + " that long runs do not fill the disk.")
  private Duration keep = Duration.ofSeconds(10);

  @Option(
      names = "--hold-snapshot",
      description =
          "Keep a transaction open from before the run to its end, so that no dead row goes.")
  private boolean holdSnapshot;

  LoadSettings.Rotation settings() {
    return new LoadSettings.Rotation(
        within("--rotate-every", period, Duration.ofSeconds(1), Duration.ofDays(7)),
        within("--segment-size", segmentBytes, 0, Long.MAX_VALUE),
        within("--keep", keep, Duration.ZERO, Duration.ofDays(365)),
        holdSnapshot);
  }
}
