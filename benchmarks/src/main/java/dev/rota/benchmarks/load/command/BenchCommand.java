package dev.rota.benchmarks.load.command;

import dev.rota.benchmarks.load.LoadProgress;
import dev.rota.benchmarks.load.LoadResult;
import dev.rota.benchmarks.load.LoadRun;
import dev.rota.benchmarks.load.LoadSettings;
import dev.rota.benchmarks.load.report.LoadSummary;
import dev.rota.benchmarks.load.report.Report;
import dev.rota.cli.common.StatusLine;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.dashboard.DashboardOption;
import dev.rota.cli.dashboard.RunningDashboard;
import dev.rota.cli.database.CommandContext;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures throughput and latency end to end. */
@Command(
    name = "bench",
    description = {
      "Measure throughput and latency end to end: producers, a worker and a rotation daemon at"
          + " once for a time, and the proof that no task was lost or run twice.",
      "Without --jdbc-url or --embedded it starts a durable PostgreSQL of its own in a temporary"
          + " folder. In another database it uses new tenants, which stay there.",
      "Exit code 1 if a task was lost or handled twice."
    },
    sortOptions = false)
final class BenchCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions database = new DatabaseOptions();
  @Mixin private final TimingOptions timing = new TimingOptions();
  @Mixin private final TenancyOptions tenancy = new TenancyOptions();
  @Mixin private final ProductionOptions production = new ProductionOptions();
  @Mixin private final ConsumptionOptions consumption = new ConsumptionOptions();
  @Mixin private final RotationOptions rotation = new RotationOptions();
  @Mixin private final DashboardOption dashboard = new DashboardOption();

  @Option(names = "--json", description = "Print one JSON object instead of a table.")
  private boolean json;

  @Option(
      names = "--report",
      paramLabel = "DIR",
      description =
          "Write a page with charts, report.html, and each chart as an SVG file to this directory.")
  private @Nullable Path report;

  private final CommandContext context;

  BenchCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws InterruptedException, IOException {
    dashboard.check(context.terminal(), context.secrets());
    List<LoadSettings> runs = runs();
    if (report != null) {
      prepare(report);
    }
    List<LoadResult> results = new ArrayList<>();
    try (StatusLine line = context.statusLine()) {
      for (LoadSettings run : runs) {
        results.add(run(run, new LoadProgress(line)));
      }
    }
    if (report != null) {
      new Report(results).write(report);
    }
    print(new LoadSummary(results));
    return results.stream().allMatch(result -> result.audit().intact()) ? 0 : 1;
  }

  /**
   * Runs once. Each run has a new server, unless one is given, so that none sees another's tables.
   */
  private LoadResult run(LoadSettings settings, LoadProgress progress) throws InterruptedException {
    progress.stage("opening the database");
    try (CommandDatabase opened = context.openOrTemporary(database);
        @Nullable RunningDashboard served = dashboard.serve(opened, context.terminal())) {
      return new LoadRun(opened, settings, report != null, progress).run();
    }
  }

  private List<LoadSettings> runs() {
    LoadSettings first =
        new LoadSettings(
            tenancy.first(),
            production.settings(),
            consumption.settings(),
            rotation.settings(),
            timing.settings());
    return tenancy.counts().stream().map(first::withTenants).toList();
  }

  private void print(LoadSummary summary) {
    if (json) {
      context.printJson(summary.fields());
    } else {
      context.printTable(summary.rows());
      context.out().println(summary.server());
      context.out().println(summary.verdict());
    }
  }

  /** Prepares the report before the run, so that an unwritable directory does not cost the run. */
  private static void prepare(Path directory) throws IOException {
    if (Files.exists(directory) && !Files.isDirectory(directory)) {
      throw new UsageException("--report is " + directory + ", which is not a directory");
    }
    Files.createDirectories(directory);
  }
}
