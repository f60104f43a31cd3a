package dev.rota.cli.daemon;

import dev.rota.cli.common.SizeConverter;
import dev.rota.daemon.RotationDaemon;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The settings of a daemon. Durations as 500ms, 2s, 1h, 7d; sizes as 8192, 64kB, 256MB. */
final class DaemonOptions {

  @Option(
      names = "--rotate-every",
      paramLabel = "DURATION",
      defaultValue = "1h",
      description = "How often the ring of a tenant is switched; ${DEFAULT-VALUE} by default.")
  private Duration rotateEvery = Duration.ofHours(1);

  @Option(
      names = "--park-after",
      paramLabel = "DURATION",
      defaultValue = "7d",
      description =
          "How long a tenant is idle before its tables are dropped; ${DEFAULT-VALUE} by default, 0s"
              + " keeps all tables.")
  private Duration parkAfter = Duration.ofDays(7);

  @Option(
      names = "--slot-size",
      paramLabel = "SIZE",
      defaultValue = "256MB",
      converter = SizeConverter.class,
      description = "The size at which a slot is switched earlier; ${DEFAULT-VALUE} by default.")
  private long slotSize;

  @Option(
      names = "--segment-size",
      paramLabel = "SIZE",
      defaultValue = "8MB",
      converter = SizeConverter.class,
      description =
          "A segment of history is sealed at the first rotation time at which it has this size;"
              + " ${DEFAULT-VALUE} by default, 0 seals it at every rotation time.")
  private long segmentSize;

  @Option(
      names = "--segment-age",
      paramLabel = "DURATION",
      defaultValue = "1d",
      description = "The age at which a smaller segment is sealed; ${DEFAULT-VALUE} by default.")
  private Duration segmentAge = Duration.ofDays(1);

  @Option(
      names = "--keep-history",
      paramLabel = "DURATION",
      defaultValue = "7d",
      description = "How long sealed history is kept here; ${DEFAULT-VALUE} by default.")
  private Duration keepHistory = Duration.ofDays(7);

  @Option(
      names = "--keep-archive",
      paramLabel = "DURATION",
      defaultValue = "36500d",
      description = "How long archived history is kept; ${DEFAULT-VALUE} by default.")
  private Duration keepArchive = Duration.ofDays(36_500);

  @Option(
      names = "--keep-ledger",
      paramLabel = "DURATION",
      defaultValue = "1d",
      description = "How long the times of claims and ends are kept; ${DEFAULT-VALUE} by default.")
  private Duration keepLedger = Duration.ofDays(1);

  @Option(
      names = "--keep-statistics",
      paramLabel = "DURATION",
      defaultValue = "30d",
      description = "How long hourly statistics are kept; ${DEFAULT-VALUE} by default.")
  private Duration keepStatistics = Duration.ofDays(30);

  @Option(
      names = "--keep-graphs",
      paramLabel = "DURATION",
      defaultValue = "1d",
      description = "How long finished graphs can be read; ${DEFAULT-VALUE} by default.")
  private Duration keepGraphs = Duration.ofDays(1);

  @Option(
      names = "--tick",
      paramLabel = "DURATION",
      defaultValue = "250ms",
      description =
          "How often to look for due tasks and dead workers; ${DEFAULT-VALUE} by default.")
  private Duration tick = Duration.ofMillis(250);

  @Option(
      names = "--work-share",
      paramLabel = "PART",
      defaultValue = "0.25",
      description =
          "The part of its time that the daemon may switch rings, and as much again open and drop"
              + " segments; ${DEFAULT-VALUE} by default, 1 takes no rests.")
  private double workShare = 0.25;

  RotationDaemon.Builder apply(RotationDaemon.Builder builder) {
    return builder
        .rotateEvery(rotateEvery)
        .parkAfter(parkAfter)
        .slotBytes(slotSize)
        .segmentBytes(segmentSize)
        .segmentAge(segmentAge)
        .keepHistory(keepHistory)
        .keepArchive(keepArchive)
        .keepLedger(keepLedger)
        .keepStatistics(keepStatistics)
        .keepGraphs(keepGraphs)
        .tick(tick)
        .workShare(workShare);
  }
}
