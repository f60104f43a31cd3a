package dev.rota.cli;

import dev.rota.Schedules;
import java.io.PrintStream;
import picocli.CommandLine.Command;

/** Runs a schedule out of turn. */
@Command(
    name = "run",
    description = "Enqueue the task of a schedule now and print its id; its next time stays.",
    sortOptions = false)
final class ScheduleRunCommand extends ScheduleAction {

  ScheduleRunCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  void act(Schedules schedules, String name, PrintStream out) {
    out.println(schedules.run(name));
  }
}
