package dev.rota.benchmarks.load.command;

import static dev.rota.benchmarks.load.command.Ranges.within;

import dev.rota.benchmarks.load.LoadSettings;
import dev.rota.benchmarks.load.Payloads;
import dev.rota.cli.common.UsageException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of the producers. */
final class ProductionOptions {

  /**
   * The least default backlog: neither producers nor workers ever wait for a single batch of the
   * other.
   */
  private static final int LEAST_DEFAULT_BACKLOG = 100_000;

  private static final int CALLS_OF_BACKLOG = 4;
  private static final int MOST_BACKLOG = 1_000_000_000;

  @Option(
      names = "--batch",
      paramLabel = "N",
      defaultValue = "1000",
      description =
          "Tasks of one call of a producer; 1 enqueues asynchronously one by one, with shared"
              + " commits. ${DEFAULT-VALUE} by default.")
  private int batch;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description =
          "Tasks per second in all, on a fixed schedule; latency counts from when a task was due."
              + " By default as fast as the backlog allows.")
  private @Nullable Long rate;

  @Option(
      names = "--backlog",
      paramLabel = "N",
      description =
          "Without --rate: producers wait while this many tasks are enqueued and not handled;"
              + " 100000 by default, or four calls of each producer if that is more.")
  private @Nullable Integer backlog;

  @Option(
      names = "--payload",
      paramLabel = "BYTES",
      defaultValue = "64",
      description = "The size of a payload; ${DEFAULT-VALUE} by default.")
  private int payload;

  @Option(
      names = "--producers",
      paramLabel = "N",
      defaultValue = "2",
      description = "Threads that enqueue; ${DEFAULT-VALUE} by default.")
  private int producers;

  LoadSettings.Production settings() {
    within("--batch", batch, 1, 100_000);
    within("--producers", producers, 1, 1_000);
    within("--payload", payload, Payloads.LEAST_BYTES, 1_048_576);
    return new LoadSettings.Production(producers, batch, payload, arrivals());
  }

  private LoadSettings.Arrivals arrivals() {
    if (rate == null) {
      return new LoadSettings.Arrivals(0, backlog());
    }
    if (backlog != null) {
      throw new UsageException("--rate and --backlog exclude each other");
    }
    return new LoadSettings.Arrivals(within("--rate", rate, 1, 100_000_000), 0);
  }

  private int backlog() {
    if (backlog != null) {
      return within("--backlog", backlog, batch, MOST_BACKLOG);
    }
    long calls = (long) CALLS_OF_BACKLOG * producers * batch;
    return (int) Math.min(MOST_BACKLOG, Math.max(LEAST_DEFAULT_BACKLOG, calls));
  }
}
