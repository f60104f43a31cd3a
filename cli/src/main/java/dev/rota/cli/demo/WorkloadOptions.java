package dev.rota.cli.demo;

import dev.rota.cli.common.UsageException;
import dev.rota.demo.DemoWorkload;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a demo's workload. */
final class WorkloadOptions {

  @Option(
      names = "--tenants",
      paramLabel = "N",
      description = "Over how many tenants; 1000 by default, 100 with --workflow.")
  private @Nullable Integer tenants;

  @Option(
      names = "--tasks",
      paramLabel = "N",
      defaultValue = "1000000",
      description =
          "How many tasks, unless there is a trace; few tenants get many of them, many get few."
              + " ${DEFAULT-VALUE} by default.")
  private long tasks;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "The same seed gives the same tasks; ${DEFAULT-VALUE} by default.")
  private long seed;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description =
          "Enqueue the batch tasks of the Alibaba cluster trace v2017, a CSV file with a header"
              + " line: each row becomes as many tasks as it has instances.")
  private @Nullable Path trace;

  @Option(names = "--limit", paramLabel = "N", description = "Stop after this many tasks.")
  private long limit = Long.MAX_VALUE;

  @Option(
      names = "--lenient",
      description = "Skip malformed lines of the trace instead of giving up.")
  private boolean lenient;

  int tenants(int byDefault) {
    int chosen = tenants == null ? byDefault : tenants;
    DemoCommand.requireInRange("--tenants", chosen, 1, 100_000);
    return chosen;
  }

  /** Refuses options of a workload beside a workflow, which has its own tasks. */
  void refuseBesideWorkflow() {
    if (trace != null || limit != Long.MAX_VALUE) {
      throw new UsageException("--workflow excludes --trace and --limit; use --copies");
    }
  }

  DemoWorkload workload(int tenants, SkippedLines skipped) {
    DemoCommand.requireInRange("--tasks", tasks, 0, 1_000_000_000);
    DemoCommand.requireInRange("--limit", limit, 0, Long.MAX_VALUE);
    DemoWorkload whole =
        trace == null ? DemoWorkload.zipf(tasks, tenants, seed) : trace(trace, skipped);
    return limit == Long.MAX_VALUE ? whole : whole.limit(limit);
  }

  private DemoWorkload trace(Path file, SkippedLines skipped) {
    if (!Files.isReadable(file) || Files.isDirectory(file)) {
      throw new UsageException("the trace " + file + " is not there, or cannot be read");
    }
    return DemoWorkload.trace(
        file,
        malformed -> {
          if (!lenient) {
            throw malformed;
          }
          skipped.add(malformed);
        });
  }
}
