package dev.rota.cli.graph;

import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The group of commands about graphs. */
@Command(
    name = "graph",
    description = "Show and cancel graphs: tasks that depend on each other.",
    synopsisSubcommandLabel = "COMMAND")
public final class GraphCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  public static CommandLine withSubcommands(Terminal terminal, Secrets secrets) {
    return new CommandLine(new GraphCommand())
        .addSubcommand(new GraphShowCommand(terminal, secrets))
        .addSubcommand(new GraphCancelCommand(terminal, secrets));
  }

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    line.usage(line.getErr());
    return ExitCode.USAGE;
  }
}
