package dev.rota.cli;

import dev.rota.Schedules;
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
  void act(Schedules schedules, String name, PrintStream out) {
    schedules.resume(name);
    schedules.find(name).map(ScheduleText::next).ifPresent(out::println);
  }
}
