package dev.rota.cli.demo;

import dev.rota.archive.Archive;
import dev.rota.archive.internal.DefaultArchive;
import dev.rota.cli.common.Json;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.SizeConverter;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.dashboard.DashboardOption;
import dev.rota.cli.dashboard.RunningDashboard;
import dev.rota.cli.database.ArchiveOptions;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import dev.rota.demo.Demo;
import dev.rota.demo.DemoReport;
import dev.rota.demo.DemoSettings;
import dev.rota.demo.DemoWorkload;
import dev.rota.demo.WorkflowDemo;
import dev.rota.demo.WorkflowReport;
import dev.rota.demo.WorkflowSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a workload end to end and verifies it. */
@Command(
    name = "demo",
    description = {
      "Enqueue a workload over many tenants, work it off, rotate all the while, and verify from"
          + " the tables that nothing was lost or run twice.",
      "Without --jdbc-url or --embedded it starts a PostgreSQL of its own in a temporary folder."
          + " In another database it uses new tenants, which stay there.",
      "With --archive history moves into files, which are verified with the tables; the archive"
          + " must be empty, or that of the database.",
      "With --workflow the tasks are copies of a graph: none may begin before all its parents have"
          + " ended.",
      "Exit code 1 if a task was lost, duplicated, left pending or begun too early."
    },
    sortOptions = false)
public final class DemoCommand implements Callable<Integer> {

  private static final int DEFAULT_TENANTS = 1_000;
  private static final Duration LONGEST_GRACE = Duration.ofSeconds(10);
  private static final int DEFAULT_TENANTS_OF_WORKFLOWS = 100;

  @Mixin private final DatabaseOptions options = new DatabaseOptions();
  @Mixin private final WorkloadOptions load = new WorkloadOptions();
  @Mixin private final WorkflowOptions workflow = new WorkflowOptions();

  @Option(
      names = "--rotate-every",
      paramLabel = "DURATION",
      defaultValue = "2s",
      description =
          "How often the ring of a tenant is switched, if the daemon keeps up; ${DEFAULT-VALUE} by"
              + " default.")
  private Duration rotateEvery = Duration.ofSeconds(2);

  @Option(
      names = "--segment-size",
      paramLabel = "SIZE",
      defaultValue = "16MB",
      converter = SizeConverter.class,
      description =
          "The size from which on history gets a new segment; ${DEFAULT-VALUE} by default.")
  private long segmentSize;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Handlers that run at the same time; the number of processors by default.")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--producers",
      paramLabel = "N",
      defaultValue = "2",
      description = "Threads that enqueue; ${DEFAULT-VALUE} by default.")
  private int producers;

  @Option(
      names = "--patience",
      paramLabel = "DURATION",
      defaultValue = "60s",
      description = "Give up when nothing moves for so long; ${DEFAULT-VALUE} by default.")
  private Duration patience = Duration.ofSeconds(60);

  /** The share of the archiver: users of a demo do not want to wait for its archive. */
  private static final double ARCHIVING_SHARE = 0.5;

  @Mixin private final ArchiveOptions archiveOptions = new ArchiveOptions();
  @Mixin private final DashboardOption dashboard = new DashboardOption();

  @Option(
      names = "--keep-hot",
      paramLabel = "DURATION",
      defaultValue = "10s",
      description =
          "With --archive, how long history stays in the database before it is sealed and again"
              + " before it is dropped; ${DEFAULT-VALUE} by default.")
  private Duration keepHot = Duration.ofSeconds(10);

  @Option(names = "--json", description = "Print one JSON object instead of a summary.")
  private boolean json;

  private final Terminal terminal;
  private final Secrets secrets;

  public DemoCommand(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  @Override
  public Integer call() throws InterruptedException {
    dashboard.check(terminal, secrets);
    requireInRange("--threads", threads, 1, 1_000);
    requireInRange("--producers", producers, 1, 1_000);
    return workflow.isGiven() ? runWorkflow() : runWorkload();
  }

  private int runWorkload() throws InterruptedException {
    SkippedLines skipped = new SkippedLines(terminal.err());
    DemoWorkload workload = load.workload(load.tenants(DEFAULT_TENANTS), skipped);
    DemoReport report;
    try (@Nullable Archive archive = openArchive();
        CommandDatabase database = options.openOrTemporary(terminal, secrets);
        @Nullable RunningDashboard served = dashboard.serve(database, terminal);
        ProgressLine progress = new ProgressLine(terminal)) {
      report = Demo.run(database, settings(workload, archive), progress);
    }
    if (json) {
      terminal.out().println(Json.render(report.fields()));
    } else {
      DemoSummary.print(report, skipped.count(), terminal.out());
    }
    return report.isFlawless() ? 0 : 1;
  }

  private int runWorkflow() throws InterruptedException {
    load.refuseBesideWorkflow();
    if (archiveOptions.builder().isPresent()) {
      throw new UsageException("--workflow excludes --archive");
    }
    WorkflowSettings settings =
        new WorkflowSettings(
            workflow.read(),
            workflow.copies(),
            load.tenants(DEFAULT_TENANTS_OF_WORKFLOWS),
            new DemoSettings.Threads(producers, threads),
            patience);
    WorkflowReport report;
    try (CommandDatabase database = options.openOrTemporary(terminal, secrets);
        @Nullable RunningDashboard served = dashboard.serve(database, terminal);
        ProgressLine progress = new ProgressLine(terminal)) {
      report = WorkflowDemo.run(database, settings, progress);
    }
    if (json) {
      terminal.out().println(Json.render(report.fields()));
    } else {
      DemoSummary.print(report, terminal.out());
    }
    return report.isFlawless() ? 0 : 1;
  }

  private @Nullable Archive openArchive() {
    requireSecond("--keep-hot", keepHot);
    Duration grace = keepHot.compareTo(LONGEST_GRACE) < 0 ? keepHot : LONGEST_GRACE;
    Archive archive =
        archiveOptions
            .builder()
            .map(builder -> builder.grace(grace).share(ARCHIVING_SHARE).build())
            .orElse(null);
    if (archive != null) {
      requireReadable(archive);
    }
    return archive;
  }

  /** Checks the archive now, before a million tasks have run. */
  private static void requireReadable(Archive archive) {
    try {
      boolean unused = archive.store().find(DefaultArchive.OWNER_KEY).isPresent();
    } catch (IOException e) {
      archive.close();
      throw new UsageException("--archive: " + e.getMessage());
    }
  }

  private DemoSettings settings(DemoWorkload workload, @Nullable Archive archive) {
    requireSecond("--rotate-every", rotateEvery);
    Optional<DemoSettings.Archiving> archiving =
        Optional.ofNullable(archive).map(to -> new DemoSettings.Archiving(to, keepHot));
    return new DemoSettings(
        workload,
        load.tenants(DEFAULT_TENANTS),
        new DemoSettings.Threads(producers, threads),
        new DemoSettings.Rotation(rotateEvery, segmentSize, archiving),
        patience);
  }

  private static void requireSecond(String option, Duration given) {
    if (given.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new UsageException(option + " must be at least 1s");
    }
  }

  public static void requireInRange(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw new UsageException(option + " is " + value + "; allowed are " + least + " to " + most);
    }
  }
}
