package dev.rota.benchmarks;

import dev.rota.benchmarks.rounds.BenchmarkFigures;
import dev.rota.benchmarks.rounds.Rounds;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Runs the benchmarks: JMH with all its options, on one server for the whole run, with a table of
 * ratios at the end.
 *
 * <p>The server is a durable embedded PostgreSQL 18, whose data are on disk whenever figures are
 * measured, or the one of {@code -Djdbc.url=}. {@code -Drota.benchmark.profile=quick} or {@code
 * =smoke} runs a selection, see {@link Profile}. The commands {@code rounds} and {@code table} are
 * those of {@link Rounds}.
 */
public final class Main {

  private static final Set<String> QUESTIONS = Set.of("-h", "-l", "-lp", "-lprof", "-lrf");
  private static final String PROFILE_PROPERTY = "rota.benchmark.profile";

  private Main() {}

  /**
   * The entry point.
   *
   * @param args options of JMH, and patterns of the benchmarks to run; or a command
   * @throws IOException if JMH cannot read its own lists
   */
  public static void main(String[] args) throws IOException {
    if (Rounds.isCommand(args)) {
      System.exit(Rounds.run(() -> TrialServer.open(true), args));
    }
    if (List.of(args).stream().anyMatch(QUESTIONS::contains)) {
      org.openjdk.jmh.Main.main(args);
      return;
    }
    try {
      run(new CommandLineOptions(args));
    } catch (CommandLineOptionException | IllegalArgumentException | RunnerException e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }

  private static void run(CommandLineOptions options) throws RunnerException {
    Profile profile = Profile.named(System.getProperty(PROFILE_PROPERTY));
    List<RunResult> results = new ArrayList<>();
    try {
      runOnServer(profile, profile.runs(options), results);
    } finally {
      // Results measured before a failure are shown nevertheless.
      write(options, results);
      System.out.println(
          new RatioTable(results.stream().map(BenchmarkFigures::of).toList()).text());
    }
  }

  private static void runOnServer(Profile profile, List<Options> runs, List<RunResult> results)
      throws RunnerException {
    try (TrialServer server = TrialServer.open(profile.measures())) {
      runAll(runs, server.url(), results);
    }
  }

  private static void runAll(List<Options> runs, String serverUrl, List<RunResult> results)
      throws RunnerException {
    dropTemplates(serverUrl);
    // For trials in this JVM; those in separate JVMs get it on their command line.
    System.setProperty(TrialDatabase.SERVER_PROPERTY, serverUrl);
    try {
      for (Options run : runs) {
        results.addAll(new Runner(onServer(run, serverUrl)).run());
      }
    } finally {
      dropTemplates(serverUrl);
    }
  }

  private static void dropTemplates(String serverUrl) {
    try {
      Templates.dropAll(serverUrl);
    } catch (SQLException e) {
      throw new IllegalArgumentException("cannot use " + serverUrl + ": " + e.getMessage(), e);
    }
  }

  private static Options onServer(Options run, String serverUrl) {
    List<String> arguments = new ArrayList<>(run.getJvmArgsAppend().orElse(List.of()));
    arguments.add("-D" + TrialDatabase.SERVER_PROPERTY + "=" + serverUrl);
    return new OptionsBuilder().parent(run).jvmArgsAppend(arguments.toArray(String[]::new)).build();
  }

  /**
   * Writes the results. A profile is several runs of JMH, each of which has written only its own
   * results.
   */
  private static void write(Options options, Collection<RunResult> results) {
    if (options.getResult().hasValue()) {
      ResultFormatType type = options.getResultFormat().orElse(ResultFormatType.CSV);
      ResultFormatFactory.getInstance(type, options.getResult().get()).writeOut(results);
    }
  }
}
