package dev.rota.crash.points;

import static dev.rota.crash.points.CrashScenario.repeatable;

import dev.rota.Batch;
import dev.rota.internal.settle.ManualLease;
import dev.rota.limits.Controls;
import dev.rota.limits.Scope;
import java.sql.SQLException;
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
        repeatable("look whether a plan is quiet", RuleScenarios::lookForQuiet),
        repeatable("tell why tasks do not begin", RuleScenarios::explain));
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
          boolean unusedToo = controls.reopen(scope.ofKind("another"));
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

  /**
   * With old tasks, a graph, a key, a worker that lives, a cap of which it has all slots, a rate,
   * and a pool that it does not serve.
   */
  private static CrashScenario.Act explain(ScenarioEnvironment environment) throws SQLException {
    environment.expect("done", "a", "b", "c", "d", "e", "f");
    environment.sound().graphs().enqueue(EnqueueScenarios.diamond());
    environment.sound().enqueue(ScenarioEnvironment.task("e").withKey("e"));
    environment.sound().enqueue(ScenarioEnvironment.task("f").after(Duration.ofMillis(1)));
    environment.sound().claim(1).close();
    environment.execute(
        "update rota_%1$d.task_init_%1$d_0 set created_at = now() - interval '1 minute';"
            + "update rota_%1$d.task_wait_%1$d set run_at = now() - interval '1 minute'");
    String name = environment.sound().name();
    environment
        .bench()
        .sound()
        .controls()
        .changeLimits(
            Scope.tenant(name),
            limits -> limits.concurrency(5).rate(1, Duration.ofDays(1)).pool("other"));
    environment.execute("insert into rota.budget (owner, kind) values (%1$d, '')");
    // A process that no fault ends: slots go with the row of their holder.
    ManualLease holder = new ManualLease(environment.bench().sound());
    holder.beat();
    environment.execute(
        "insert into rota.share values (%1$d, '', " + holder.worker() + ", 5, true)");
    return () -> {
      Controls controls = environment.rota().controls();
      if (!controls.why(name).holdsAll() || !controls.why("no tenant").holdsAll()) {
        throw new CrashScenario.NotYetException("the reasons are told");
      }
      controls.top(Duration.ofMillis(100), 1_000);
    };
  }
}
