package dev.rota.cli.schedule;

import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.schedule.Schedules;
import java.io.PrintStream;
import picocli.CommandLine.Command;

/** Lets a schedule go on. */
@Command(
    name = "resume",
    description = "Let a paused schedule go on; what fell into the pause is not made up for.",
    sortOptions = false)
final class ScheduleResumeCommand extends ScheduleAction {

  ScheduleResumeCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Schedules schedules, String name, PrintStream out) {
    schedules.resume(name);
    schedules.find(name).map(ScheduleText::next).ifPresent(out::println);
  }
}
