package dev.rota.cli.schedule;

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

/** The group of commands about schedules. */
@Command(
    name = "schedule",
    description = "Add, list, pause, resume, run and remove schedules.",
    synopsisSubcommandLabel = "COMMAND")
public final class ScheduleCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  public static CommandLine withSubcommands(Terminal terminal, Secrets secrets) {
    return new CommandLine(new ScheduleCommand())
        .addSubcommand(new ScheduleAddCommand(terminal, secrets))
        .addSubcommand(new ScheduleListCommand(terminal, secrets))
        .addSubcommand(new SchedulePauseCommand(terminal, secrets))
        .addSubcommand(new ScheduleResumeCommand(terminal, secrets))
        .addSubcommand(new ScheduleRunCommand(terminal, secrets))
        .addSubcommand(new ScheduleRemoveCommand(terminal, secrets));
  }

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    line.usage(line.getErr());
    return ExitCode.USAGE;
  }
}
