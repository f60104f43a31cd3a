package dev.rota.benchmarks.insight;

import dev.rota.cli.common.StatusLine;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.database.CommandContext;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures reads across tenants, and looks into a large history. */
@Command(
    name = "insight",
    description = {
      "Measure the reads of rota.insight() with many tenants, and looks into the history of one that"
          + " has many attempts.",
      "Without --jdbc-url or --embedded it starts a durable PostgreSQL of its own in a temporary"
          + " folder. Another database must have no schema of Rota."
    },
    sortOptions = false)
public final class InsightBenchCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  @Mixin private final LoadOptions load = new LoadOptions();

  @Option(
      names = "--calls",
      paramLabel = "N",
      defaultValue = "100",
      description = "How often each read is called; ${DEFAULT-VALUE} by default.")
  private int calls;

  @Option(names = "--json", description = "Print one JSON object instead of a table.")
  private boolean json;

  private final CommandContext context;

  /** Creates the command, which prints to the context's streams. */
  public InsightBenchCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws SQLException {
    load.check();
    if (calls < 1) {
      throw new UsageException("--calls must be at least 1");
    }
    InsightTimes times = measure();
    if (json) {
      context.printJson(times.fields());
    } else {
      context.printTable(times.rows());
    }
    return 0;
  }

  private InsightTimes measure() throws SQLException {
    try (CommandDatabase opened = context.openOrTemporary(database);
        StatusLine line = context.statusLine()) {
      load.fill(opened, line);
      line.stage("reads");
      return new InsightTrial(opened, new InsightTimes(load.tenants(), load.attempts(), calls))
          .run();
    }
  }
}
