package dev.rota.benchmarks.rounds;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs the contenders of a benchmark, or two versions of it, in turns on one server. */
@Command(
    name = "rounds",
    description = {
      "Run contenders of a benchmark, or this version and another one, in turns on one server, each"
          + " turn in its own JVM, every other round in the opposite order.",
      "Print median and spread of each, and of its ratio to the first within a round."
    },
    sortOptions = false)
final class RoundsCommand implements Callable<Integer> {

  private static final String DEFAULT_CONTENDER = "rota";

  /** The options of JMH that this command sets itself. */
  private static final Set<String> OWN = Set.of("-f", "-foe", "-rf", "-rff", "-o");

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "The number of rounds; ${DEFAULT-VALUE} by default.")
  private int rounds;

  @Option(names = "--json", paramLabel = "FILE", description = "Write every shot to this file.")
  private @Nullable Path json;

  @Option(
      names = "--jar",
      paramLabel = "OTHER.jar",
      description = "Compare with the benchmarks.jar of another version.")
  private @Nullable Path jar;

  @Parameters(
      paramLabel = "BENCHMARK [JMH OPTIONS]",
      arity = "1..*",
      description = "The benchmark, and options of JMH such as -p contender=rota,floor.")
  private List<String> benchmark = List.of();

  private final Supplier<Rounds.Server> servers;

  RoundsCommand(Supplier<Rounds.Server> servers) {
    this.servers = servers;
  }

  @Override
  public Integer call() throws Exception {
    List<Variant> variants = variants();
    requireUsable(variants);
    try (Rounds.Server server = servers.get()) {
      BenchmarkProcess process = new BenchmarkProcess(server.url(), List.of());
      List<String> options = new ArrayList<>(benchmark);
      options.addAll(List.of("-f", "1"));
      List<Turn> turns = new ArrayList<>();
      try {
        Rounds.play(
            rounds,
            variants,
            variant -> process.run(variant, options),
            turn -> {
              turns.add(turn);
              print(turn);
            });
      } finally {
        // Turns measured before a failure are kept nevertheless.
        finish(turns, server.url());
      }
    }
    return 0;
  }

  private List<Variant> variants() {
    List<String> contenders = Variant.contenders(benchmark);
    return Variant.of(
        contenders.isEmpty() ? List.of(DEFAULT_CONTENDER) : contenders, Optional.ofNullable(jar));
  }

  private void requireUsable(List<Variant> variants) {
    require(rounds > 0, "--rounds is " + rounds + "; it must be at least 1");
    require(
        variants.size() > 1,
        "nothing to compare: name contenders, such as -p contender=rota,floor, or give --jar");
    require(jar == null || Files.isRegularFile(jar), "--jar: there is no file " + jar);
    require(json == null || hasFolder(json), "--json: there is no folder for " + json);
    Set<String> clashing = benchmark.stream().filter(OWN::contains).collect(Collectors.toSet());
    require(clashing.isEmpty(), "rounds sets " + clashing + " itself: leave it out");
  }

  private static boolean hasFolder(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    return folder != null && Files.isDirectory(folder);
  }

  private void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new ParameterException(commandLine(), otherwise);
    }
  }

  private void print(Turn turn) {
    PrintWriter output = commandLine().getOut();
    output.printf(
        Locale.ROOT,
        "round %d of %d  %-34s%,14.0f  %s%n",
        turn.round(),
        rounds,
        turn.contender(),
        turn.figures().speed(),
        turn.figures().benchmark());
    output.flush();
  }

  private void finish(List<Turn> turns, String serverUrl) throws IOException, SQLException {
    if (json != null) {
      new Recording(
              commandText(),
              Surroundings.commits(Optional.ofNullable(jar)),
              Surroundings.machine(),
              Surroundings.server(serverUrl),
              turns)
          .write(json);
    }
    PrintWriter output = commandLine().getOut();
    Comparison.of(turns).forEach(each -> output.print("\n" + each.text()));
    output.flush();
  }

  /** The arguments of this run; of the other jar only its name, which means something elsewhere. */
  private String commandText() {
    String other = jar == null ? "" : " --jar " + jar.getFileName();
    return "rounds --rounds " + rounds + other + " " + String.join(" ", benchmark);
  }

  private CommandLine commandLine() {
    return Objects.requireNonNull(spec, "set by picocli").commandLine();
  }
}
