package dev.rota.benchmarks.rounds;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The commands {@code rounds} and {@code table} of the benchmarks. */
@Command(
    name = "java -jar benchmarks.jar",
    description = "Without a command: JMH with all its options.")
public final class Rounds {

  private Rounds() {}

  /** A server on which all turns run. */
  public interface Server extends AutoCloseable {

    /**
     * The address of the server.
     *
     * @return a JDBC URL whose role may create databases
     */
    String url();

    @Override
    void close();
  }

  /**
   * Whether arguments name one of the commands.
   *
   * @param args arguments of the program
   * @return false if they are for JMH
   */
  public static boolean isCommand(String... args) {
    return args.length > 0 && List.of("rounds", "table").contains(args[0]);
  }

  /**
   * Runs a command.
   *
   * @param server starts the server, if the command needs one
   * @param args the command and its options
   * @return 0 for success, 1 for failure, 2 for wrong usage
   */
  public static int run(Supplier<Server> server, String... args) {
    return commandLine(server).execute(args);
  }

  static CommandLine commandLine(Supplier<Server> server) {
    CommandLine rounds = new CommandLine(new RoundsCommand(server)).setStopAtPositional(true);
    return new CommandLine(new Rounds())
        .addSubcommand(rounds)
        .addSubcommand(new TableCommand())
        .setExecutionExceptionHandler(Rounds::printError);
  }

  private static int printError(
      Exception error, CommandLine command, CommandLine.ParseResult unused) {
    PrintWriter output = command.getErr();
    output.println(error.getMessage());
    return 1;
  }

  /** A turn of one contender: its own JVM. */
  @FunctionalInterface
  interface Runner {

    List<BenchmarkFigures> run(Variant variant) throws Exception;
  }

  /** Receives each finished turn. */
  @FunctionalInterface
  interface Progress {

    void finished(Turn turn);
  }

  /**
   * Runs all variants in each round, every other round in the opposite order, so that no order
   * favours one of them.
   */
  static void play(int rounds, List<Variant> variants, Runner runner, Progress progress)
      throws Exception {
    List<Variant> order = new ArrayList<>(variants);
    for (int round = 1; round <= rounds; round++) {
      for (Variant variant : order) {
        for (BenchmarkFigures figures : runner.run(variant)) {
          progress.finished(new Turn(round, variant.label(), figures));
        }
      }
      Collections.reverse(order);
    }
  }
}
