package dev.rota.cli;

import dev.rota.Schedules;
import java.io.PrintStream;
import picocli.CommandLine.Command;

/** Pauses a schedule. */
@Command(name = "pause", description = "Stop a schedule until it is resumed.", sortOptions = false)
final class SchedulePauseCommand extends ScheduleAction {

  SchedulePauseCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  void act(Schedules schedules, String name, PrintStream out) {
    schedules.pause(name);
    out.println(name + " is paused.");
  }
}
