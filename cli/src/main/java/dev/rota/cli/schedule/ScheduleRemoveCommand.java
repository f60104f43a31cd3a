package dev.rota.cli.schedule;

import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.schedule.Schedules;
import java.io.PrintStream;
import picocli.CommandLine.Command;

/** Removes a schedule. */
@Command(
    name = "remove",
    description = "Remove a schedule; tasks that it enqueued stay.",
    sortOptions = false)
final class ScheduleRemoveCommand extends ScheduleAction {

  ScheduleRemoveCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Schedules schedules, String name, PrintStream out) {
    boolean removed = schedules.remove(name);
    out.println(name + (removed ? " is removed." : " was not there."));
  }
}
