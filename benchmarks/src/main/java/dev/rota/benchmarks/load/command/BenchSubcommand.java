package dev.rota.benchmarks.load.command;

import dev.rota.benchmarks.dashboard.DashboardBenchCommand;
import dev.rota.benchmarks.insight.InsightBenchCommand;
import dev.rota.benchmarks.pause.PauseBenchCommand;
import dev.rota.benchmarks.rate.RateCommand;
import dev.rota.benchmarks.share.ShareCommand;
import dev.rota.benchmarks.whale.WhaleCommand;
import dev.rota.cli.database.CommandContext;
import dev.rota.cli.database.RotaSubcommand;
import java.util.List;
import java.util.concurrent.Callable;

/** Adds {@code bench} to the {@code rota} command. */
public final class BenchSubcommand implements RotaSubcommand {

  /** Created by the service loader. */
  public BenchSubcommand() {}

  @Override
  public Callable<Integer> command(CommandContext context) {
    return new BenchCommand(context);
  }

  @Override
  public List<Callable<Integer>> subcommands(CommandContext context) {
    return List.of(
        new WhaleCommand(context),
        new ShareCommand(context),
        new PauseBenchCommand(context),
        new InsightBenchCommand(context),
        new DashboardBenchCommand(context),
        new RateCommand(context));
  }
}
