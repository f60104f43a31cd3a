package dev.rota.benchmarks.dashboard;

import dev.rota.benchmarks.insight.LoadOptions;
import dev.rota.cli.common.StatusLine;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.database.CommandContext;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures the pages of the dashboard, and what its viewers cost the database. */
@Command(
    name = "dashboard",
    description = {
      "Measure each page of the dashboard over HTTP, beside many tenants and a large history, and"
          + " then the time of the database that viewers take.",
      "No request is served what an earlier one has read. Viewers are served as always.",
      "Without --jdbc-url or --embedded it starts a durable PostgreSQL of its own in a temporary"
          + " folder. Another database must have no schema of Rota."
    },
    sortOptions = false)
public final class DashboardBenchCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  @Mixin private final LoadOptions load = new LoadOptions();

  @Option(
      names = "--calls",
      paramLabel = "N",
      defaultValue = "100",
      description = "How often each page is asked for; ${DEFAULT-VALUE} by default.")
  private int calls;

  @Option(
      names = "--viewers",
      paramLabel = "N",
      defaultValue = "20",
      description = "How many viewers watch a page then; ${DEFAULT-VALUE} by default.")
  private int viewers;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "60",
      description =
          "How long they watch, and how long none does afterwards; ${DEFAULT-VALUE} by default.")
  private int seconds;

  @Option(names = "--json", description = "Print one JSON object instead of a table.")
  private boolean json;

  private final CommandContext context;

  /** Creates the command, which prints to the context's streams. */
  public DashboardBenchCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws SQLException {
    load.check();
    if (calls < 1 || viewers < 1 || seconds < 1) {
      throw new UsageException("--calls, --viewers and --seconds must be at least 1");
    }
    DashboardReport report = measure();
    if (json) {
      context.printJson(report.fields());
    } else {
      context.printTable(report.rows());
      report.lines().forEach(context.out()::println);
    }
    return 0;
  }

  private DashboardReport measure() throws SQLException {
    try (CommandDatabase opened = context.openOrTemporary(database);
        StatusLine line = context.statusLine()) {
      load.fill(opened, line);
      DashboardReport report = new DashboardReport(load.tenants(), load.attempts(), calls);
      line.stage("pages");
      new PageTrial(opened, report).run();
      line.stage("viewers");
      new ViewerTrial(opened, report).run(viewers, Duration.ofSeconds(seconds));
      return report;
    }
  }
}
