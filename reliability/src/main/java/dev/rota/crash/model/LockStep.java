package dev.rota.crash.model;

import dev.rota.crash.points.PointsEnvironment;
import java.util.List;
import java.util.Optional;

/** Runs sequences against Rota and the model, each in a fresh tenant. */
final class LockStep {

  private static final int MOST_SHRINKING_RUNS = 600;

  private final PointsEnvironment server;
  private final ModelAssumptions rules;

  LockStep(PointsEnvironment server, ModelAssumptions rules) {
    this.server = server;
    this.rules = rules;
  }

  /**
   * A difference between the two sides.
   *
   * @param step the number of the command after which they differ, from 1
   * @param reason the difference
   */
  record Difference(int step, Throwable reason) {}

  /** Runs a sequence until the two differ. */
  Optional<Difference> run(List<Command> commands) {
    int step = 0;
    try (ModelEnvironment environment = new ModelEnvironment(server, rules)) {
      for (Command command : commands) {
        step++;
        command.run(environment);
        environment.compare();
      }
      return Optional.empty();
    } catch (Exception | AssertionError e) {
      return Optional.of(new Difference(step, e));
    }
  }

  /** Returns the smallest sequence that still differs. */
  List<Command> shrink(List<Command> failing) {
    return new Shrinker(commands -> run(commands).isPresent(), MOST_SHRINKING_RUNS).shrink(failing);
  }

  /** Fails if the two differ, with the smallest sequence that shows it, in the form of a test. */
  void check(String origin, List<Command> commands) {
    if (run(commands).isPresent()) {
      List<Command> smallest = shrink(commands);
      Optional<Difference> last = run(smallest);
      throw new AssertionError(
          "%s: Rota and its model differ%s%nafter%n%s"
              .formatted(
                  origin,
                  last.map(each -> " at command " + each.step() + ": " + each.reason())
                      .orElse(", but not always"),
                  Command.script(smallest)),
          last.map(Difference::reason).orElse(null));
    }
  }
}
