package dev.rota.benchmarks.whale;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.cli.common.StatusLine;
import dev.rota.cli.database.CommandContext;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import dev.rota.daemon.RotationDaemon;
import dev.rota.limits.Controls;
import dev.rota.limits.Scope;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures the delay that a tenant with a deep backlog causes to small ones. */
@Command(
    name = "whale",
    description = {
      "Measure how long tasks of small tenants wait beside a tenant with a deep backlog, a whale:"
          + " the small ones alone, the whale alone, and both, in turns.",
      "Without --jdbc-url or --embedded it starts a durable PostgreSQL of its own in a temporary"
          + " folder. In another database it uses new tenants, which stay there.",
      "Exit code 1 if a task of a small tenant never began."
    },
    sortOptions = false)
public final class WhaleCommand implements Callable<Integer> {

  private static final int CONNECTIONS = 24;

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  @Option(
      names = "--tenants",
      paramLabel = "N",
      defaultValue = "200",
      description = "The number of small tenants; ${DEFAULT-VALUE} by default.")
  private int tenants;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "200",
      description = "Their tasks each second, all together; ${DEFAULT-VALUE} by default.")
  private int rate;

  @Option(
      names = "--whale-run",
      paramLabel = "DURATION",
      split = ",",
      defaultValue = "0,5ms,1s,60s",
      description =
          "How long a task of the whale runs, one trial each; ${DEFAULT-VALUE} by default.")
  private List<Duration> runs = List.of();

  @Option(
      names = "--weight",
      paramLabel = "NUMBER",
      defaultValue = "1",
      description = "The weight of each small tenant beside the whale's 1; 1 by default.")
  private double weight;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      defaultValue = "32",
      description = "How many handlers the worker has; ${DEFAULT-VALUE} by default.")
  private int handlers;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "How often to repeat each trial, for medians; ${DEFAULT-VALUE} by default.")
  private int repeats;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long to measure each time; ${DEFAULT-VALUE} by default.")
  private int seconds;

  @Option(
      names = "--warmup",
      paramLabel = "SECONDS",
      defaultValue = "3",
      description = "How long to run before measuring; ${DEFAULT-VALUE} by default.")
  private int warmup;

  @Option(names = "--json", description = "Print one JSON object instead of a table.")
  private boolean json;

  private final CommandContext context;

  /** Creates the command, which prints to the context's streams. */
  public WhaleCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws InterruptedException {
    WhaleSettings settings =
        new WhaleSettings(
            rate, handlers, repeats, Duration.ofSeconds(warmup), Duration.ofSeconds(seconds));
    List<WhaleReport> reports = new ArrayList<>();
    try (CommandDatabase opened = context.openOrTemporary(database);
        Rota rota = opened.rotaBuilder().poolSize(CONNECTIONS).build();
        StatusLine line = context.statusLine()) {
      rota.admin().migrate();
      try (RotationDaemon daemon = RotationDaemon.builder(rota).start()) {
        String prefix = "whale-" + Long.toHexString(new SecureRandom().nextLong()) + "-";
        List<Tenant> small =
            rota.tenants()
                .registerAll(IntStream.range(0, tenants).mapToObj(i -> prefix + i).toList());
        giveWeight(rota.controls(), prefix + "small", small);
        WhaleRounds rounds = new WhaleRounds(opened, rota, settings, small);
        for (Duration run : runs) {
          reports.add(rounds.measure(run, line));
        }
      }
    }
    print(settings, reports);
    return reports.stream().allMatch(report -> report.beside().unserved() == 0) ? 0 : 1;
  }

  private void giveWeight(Controls controls, String plan, List<Tenant> small) {
    if (weight != 1) {
      controls.changeLimits(Scope.plan(plan), limits -> limits.weight(weight));
      small.forEach(tenant -> controls.changePlan(tenant.name(), plan));
    }
  }

  private void print(WhaleSettings settings, List<WhaleReport> reports) {
    if (json) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("tenants", tenants);
      fields.put("rate", settings.rate());
      fields.put("weight", weight);
      fields.put("concurrency", settings.handlers());
      fields.put("rounds", settings.rounds());
      fields.put("whales", reports.stream().map(WhaleReport::fields).toList());
      context.printJson(fields);
    } else {
      List<List<String>> rows = new ArrayList<>();
      rows.add(WhaleReport.names());
      reports.forEach(report -> rows.add(report.row()));
      context.printTable(rows);
    }
  }
}
