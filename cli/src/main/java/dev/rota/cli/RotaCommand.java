package dev.rota.cli;

import dev.rota.cli.common.CommandErrors;
import dev.rota.cli.common.CommandGroup;
import dev.rota.cli.common.DurationConverter;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.SignalGuard;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.daemon.DaemonCommand;
import dev.rota.cli.dashboard.DashboardCommand;
import dev.rota.cli.database.CommandContext;
import dev.rota.cli.database.RotaSubcommand;
import dev.rota.cli.demo.DemoCommand;
import dev.rota.cli.graph.GraphCommand;
import dev.rota.cli.history.ArchiveCommand;
import dev.rota.cli.history.ErrorsCommand;
import dev.rota.cli.history.HistoryCommand;
import dev.rota.cli.history.StatisticsCommand;
import dev.rota.cli.insight.OverviewCommand;
import dev.rota.cli.insight.TopCommand;
import dev.rota.cli.insight.WhyCommand;
import dev.rota.cli.limit.LimitCommand;
import dev.rota.cli.limit.PauseCommand;
import dev.rota.cli.limit.ResumeCommand;
import dev.rota.cli.metering.UsageCommand;
import dev.rota.cli.schedule.ScheduleCommand;
import dev.rota.cli.schema.CheckCommand;
import dev.rota.cli.schema.MigrateCommand;
import dev.rota.cli.status.StatusCommand;
import dev.rota.cli.task.CancelCommand;
import dev.rota.cli.task.EnqueueCommand;
import dev.rota.cli.task.RedriveCommand;
import dev.rota.cli.task.ReplayCommand;
import dev.rota.cli.task.ReprioritizeCommand;
import dev.rota.cli.task.RunningCommand;
import dev.rota.cli.task.TaskCommand;
import dev.rota.cli.tenant.TenantCommand;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;

/** The {@code rota} command. Exit code 0 for success, 1 for failure, 2 for wrong usage. */
@Command(
    name = "rota",
    description = "A multi-tenant task scheduler on PostgreSQL.",
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = RotaCommand.Version.class)
public final class RotaCommand extends CommandGroup {

  /**
   * The driver's logger, which would print parts of URLs. Held here, since a logger without a
   * reference forgets its level.
   */
  private static final Logger DRIVER_LOG = Logger.getLogger("org.postgresql");

  private RotaCommand() {}

  /**
   * Runs the command and ends the JVM with its exit code.
   *
   * @param args the arguments
   */
  public static void main(String[] args) {
    configureLogging();
    System.exit(runUntilSignal(args));
  }

  /**
   * Runs a command as {@code main} does, but in this JVM.
   *
   * @param args the arguments
   * @param out receives results
   * @param err receives progress and errors
   * @return the exit code
   */
  public static int run(String[] args, PrintStream out, PrintStream err) {
    return run(args, new Terminal(out, err, System.in, System.getenv(), false));
  }

  static int run(String[] args, Terminal terminal) {
    DRIVER_LOG.setLevel(Level.OFF);
    Secrets secrets = new Secrets();
    CommandLine line = commandLine(terminal, secrets);
    return line.execute(args);
  }

  private static int runUntilSignal(String[] args) {
    try (SignalGuard guard = SignalGuard.install()) {
      return run(args, Terminal.ofProcess());
    }
  }

  /** Configures logging before the first line: warnings only, on standard error. */
  private static void configureLogging() {
    setDefault("logback.configurationFile", "dev/rota/cli/logback.xml");
    setDefault("org.jooq.no-logo", "true");
    setDefault("org.jooq.no-tips", "true");
  }

  private static void setDefault(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }

  static CommandLine commandLine(Terminal terminal, Secrets secrets) {
    CommandLine line =
        new RotaCommand()
            .with(
                new MigrateCommand(terminal, secrets),
                new DaemonCommand(terminal, secrets),
                new CheckCommand(terminal, secrets),
                new StatusCommand(terminal, secrets),
                TenantCommand.withSubcommands(terminal, secrets),
                LimitCommand.withSubcommands(terminal, secrets),
                new PauseCommand(terminal, secrets),
                new ResumeCommand(terminal, secrets),
                new WhyCommand(terminal, secrets),
                new TopCommand(terminal, secrets),
                new OverviewCommand(terminal, secrets),
                new DashboardCommand(terminal, secrets),
                ScheduleCommand.withSubcommands(terminal, secrets),
                GraphCommand.withSubcommands(terminal, secrets),
                new EnqueueCommand(terminal, secrets),
                new TaskCommand(terminal, secrets),
                new CancelCommand(terminal, secrets),
                new ReprioritizeCommand(terminal, secrets),
                new RunningCommand(terminal, secrets),
                ArchiveCommand.withSubcommands(terminal, secrets),
                new HistoryCommand(terminal, secrets),
                new ReplayCommand(terminal, secrets),
                new ErrorsCommand(terminal, secrets),
                new RedriveCommand(terminal, secrets),
                new StatisticsCommand(terminal, secrets),
                new UsageCommand(terminal, secrets),
                new DemoCommand(terminal, secrets));
    addFromOtherJars(line, new CommandContext(terminal, secrets));
    configure(line, terminal, secrets);
    return line;
  }

  private static void addFromOtherJars(CommandLine line, CommandContext context) {
    for (RotaSubcommand other : ServiceLoader.load(RotaSubcommand.class)) {
      CommandLine own = new CommandLine(other.command(context));
      other.subcommands(context).forEach(own::addSubcommand);
      line.addSubcommand(own);
    }
    if (!line.getSubcommands().containsKey(AbsentBenchCommand.NAME)) {
      line.addSubcommand(new AbsentBenchCommand());
    }
  }

  private static void configure(CommandLine line, Terminal terminal, Secrets secrets) {
    line.registerConverter(Duration.class, new DurationConverter())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(writer(terminal.out()))
        .setErr(writer(terminal.err()))
        .setParameterExceptionHandler((failure, args) -> misused(failure, terminal, secrets))
        .setExecutionExceptionHandler(
            (failure, command, result) -> failed(failure, command, terminal, secrets));
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(stream, true, StandardCharsets.UTF_8);
  }

  private static int misused(ParameterException failure, Terminal terminal, Secrets secrets) {
    String command = failure.getCommandLine().getCommandSpec().qualifiedName();
    complain(failure.getMessage() + "; see " + command + " --help", terminal, secrets);
    return ExitCode.USAGE;
  }

  private static int failed(
      Exception failure, CommandLine command, Terminal terminal, Secrets secrets) {
    boolean misused = failure instanceof UsageException;
    String help = misused ? "; see " + command.getCommandSpec().qualifiedName() + " --help" : "";
    complain(CommandErrors.describe(failure) + help, terminal, secrets);
    return misused ? ExitCode.USAGE : ExitCode.SOFTWARE;
  }

  private static void complain(String sentence, Terminal terminal, Secrets secrets) {
    String oneLine = secrets.scrub(sentence).replaceAll("\\s*\\R\\s*", " ");
    terminal.err().println("rota: " + oneLine);
  }

  /** Reads the version from the manifest of the jar. */
  static final class Version implements IVersionProvider {

    @Override
    public String[] getVersion() {
      String version = RotaCommand.class.getPackage().getImplementationVersion();
      return new String[] {
        String.format(Locale.ROOT, "rota %s", version == null ? "(unpacked)" : version)
      };
    }
  }
}
