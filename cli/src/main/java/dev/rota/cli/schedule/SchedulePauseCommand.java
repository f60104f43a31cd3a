package dev.rota.cli.schedule;

import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.schedule.Schedules;
import java.io.PrintStream;
import picocli.CommandLine.Command;

/** Pauses a schedule. */
@Command(name = "pause", description = "Stop a schedule until it is resumed.", sortOptions = false)
final class SchedulePauseCommand extends ScheduleAction {

  SchedulePauseCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Schedules schedules, String name, PrintStream out) {
    schedules.pause(name);
    out.println(name + " is paused.");
  }
}
