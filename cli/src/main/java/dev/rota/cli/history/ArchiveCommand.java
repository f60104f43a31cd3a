package dev.rota.cli.history;

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

/** The group of commands about archived history. */
@Command(
    name = "archive",
    description = "Let archived history be read with SQL inside PostgreSQL.",
    synopsisSubcommandLabel = "COMMAND")
public final class ArchiveCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  public static CommandLine withSubcommands(Terminal terminal, Secrets secrets) {
    return new CommandLine(new ArchiveCommand())
        .addSubcommand(new ArchiveAttachCommand(terminal, secrets))
        .addSubcommand(new ArchiveDetachCommand(terminal, secrets));
  }

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    line.usage(line.getErr());
    return ExitCode.USAGE;
  }
}
