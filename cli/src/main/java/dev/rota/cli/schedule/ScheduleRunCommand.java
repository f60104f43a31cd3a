package dev.rota.cli.schedule;

import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.schedule.Schedules;
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
  public void act(Schedules schedules, String name, PrintStream out) {
    out.println(schedules.run(name));
  }
}
