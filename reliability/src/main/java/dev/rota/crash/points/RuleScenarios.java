package dev.rota.crash.points;

import static dev.rota.crash.points.CrashScenario.repeatable;

import dev.rota.Batch;
import dev.rota.limits.Controls;
import dev.rota.limits.Scope;
import java.time.Duration;
import java.util.List;

/** Scenarios of rules: limits, plans and pauses. Each tenant has a plan of its own. */
final class RuleScenarios {

  private RuleScenarios() {}

  static List<CrashScenario> all() {
    return List.of(
        repeatable("change limits and a plan", RuleScenarios::changeLimits),
        repeatable("pause and resume", RuleScenarios::pause),
        repeatable("claim beside the rules of a plan", RuleScenarios::claim),
        repeatable("look whether a plan is quiet", RuleScenarios::lookForQuiet));
  }

  private static Scope plan(ScenarioEnvironment environment) {
    return Scope.plan("plan-" + environment.tapped().number());
  }

  private static void givePlan(Controls controls, ScenarioEnvironment environment) {
    controls.changePlan(environment.tapped().name(), plan(environment).plan().orElseThrow());
  }

  private static CrashScenario.Act changeLimits(ScenarioEnvironment environment) {
    CrashScenario.Act act =
        () -> {
          Controls controls = environment.rota().controls();
          controls.changeLimits(plan(environment), limits -> limits.weight(2));
          givePlan(controls, environment);
          if (!controls.planOf(environment.tapped().name()).startsWith("plan-")) {
            throw new CrashScenario.NotYetException("the plan is read back");
          }
        };
    return act.until(
        "of weight 2",
        () ->
            environment.is(
                "2",
                "select r.weight from rota.rule r join rota.tenant t on t.plan = r.plan"
                    + " where t.number = %1$d"));
  }

  private static CrashScenario.Act pause(ScenarioEnvironment environment) {
    environment.expect("done", "a");
    environment.sound().enqueue(ScenarioEnvironment.task("a"));
    Scope scope = Scope.tenant(environment.tapped().name());
    CrashScenario.Act act =
        () -> {
          Controls controls = environment.rota().controls();
          controls.pause(scope, "maintenance");
          environment.tapped().claim(10).settle();
          boolean unused = controls.resume(scope);
          environment.tapped().claim(10).settle();
        };
    return act.until(
        "not paused",
        () -> environment.is("0", "select count(*) from rota.rule where tenant = %1$d"));
  }

  private static CrashScenario.Act claim(ScenarioEnvironment environment) {
    environment.expect("done", "a");
    environment.sound().enqueue(ScenarioEnvironment.task("a"));
    Controls controls = environment.bench().sound().controls();
    controls.pause(plan(environment).ofKind("another"), "");
    givePlan(controls, environment);
    return () -> environment.tapped().claim(10).settle();
  }

  private static CrashScenario.Act lookForQuiet(ScenarioEnvironment environment) {
    environment.expect("done", "a");
    environment.sound().enqueue(ScenarioEnvironment.task("a"));
    Controls controls = environment.bench().sound().controls();
    givePlan(controls, environment);
    Batch running = environment.sound().claim(1);
    Scope scope = plan(environment).ofKind(running.tasks().get(0).kind());
    return () -> {
      // One look: how many there are until all is quiet depends on time.
      if (environment.rota().controls().awaitQuiet(scope, Duration.ZERO)) {
        throw new IllegalStateException("the running task was not seen");
      }
      running.settle();
      if (!controls.awaitQuiet(scope, Duration.ofMinutes(1))) {
        throw new IllegalStateException("a task still runs");
      }
    };
  }
}
