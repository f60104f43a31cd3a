package dev.rota.benchmarks.rounds;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints recorded rounds as a table of Markdown. */
@Command(
    name = "table",
    description = "Print a row of Markdown for each ratio in files of the command rounds.")
final class TableCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @Parameters(paramLabel = "FILE", arity = "1..*", description = "The files.")
  private List<Path> files = List.of();

  TableCommand() {}

  @Override
  public Integer call() throws IOException {
    PrintWriter output = commandLine().getOut();
    Comparison.head().forEach(output::println);
    for (Path file : files) {
      for (Comparison comparison : Comparison.of(Recording.read(file).turns())) {
        comparison.rows().forEach(output::println);
      }
    }
    return 0;
  }

  private CommandLine commandLine() {
    return Objects.requireNonNull(spec, "set by picocli").commandLine();
  }
}
