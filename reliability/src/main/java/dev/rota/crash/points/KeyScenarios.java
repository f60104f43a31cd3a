package dev.rota.crash.points;

import static dev.rota.crash.points.CrashScenario.repeatable;

import dev.rota.Batch;
import dev.rota.TaskKey;
import dev.rota.control.Redrive;
import dev.rota.control.TaskFilter;
import java.time.Duration;
import java.util.List;

/** Scenarios of keys and versions whose tasks are claimed, end, and run again. */
final class KeyScenarios {

  private KeyScenarios() {}

  static List<CrashScenario> all() {
    return List.of(
        repeatable("claim a version that was renewed", KeyScenarios::claimRenewed),
        repeatable("settle a task with a key", KeyScenarios::settle),
        repeatable("settle a version that is superseded", KeyScenarios::settleSuperseded),
        repeatable("cancel a version before it runs", KeyScenarios::cancel),
        repeatable("redrive tasks with keys over time", KeyScenarios::redrive));
  }

  /** Claims a renewed version, whose payload is the newer one when it runs. */
  private static CrashScenario.Act claimRenewed(ScenarioEnvironment environment) {
    environment.expect("done", "new");
    environment
        .sound()
        .enqueue(ScenarioEnvironment.task("old").withKey(TaskKey.versioned("doc", 1)));
    environment
        .sound()
        .enqueue(ScenarioEnvironment.task("new").withKey(TaskKey.versioned("doc", 2)));
    return () -> environment.tapped().claim(10).settle();
  }

  private static CrashScenario.Act settle(ScenarioEnvironment environment) {
    environment.expect("done", "a");
    environment
        .sound()
        .enqueue(ScenarioEnvironment.task("a").withKey(TaskKey.keptFor("key", Duration.ofDays(1))));
    Batch batch = environment.tapped().claim(10);
    CrashScenario.Act settling = batch::settle;
    return settling.until(
        "the key is kept from its end on",
        () -> environment.is("f", "select live from rota_%1$d.task_key_%1$d"));
  }

  private static CrashScenario.Act settleSuperseded(ScenarioEnvironment environment) {
    environment.expect("done", "old", "new");
    environment
        .sound()
        .enqueue(ScenarioEnvironment.task("old").withKey(TaskKey.versioned("doc", 1)));
    Batch batch = environment.tapped().claim(10);
    environment
        .sound()
        .enqueue(ScenarioEnvironment.task("new").withKey(TaskKey.versioned("doc", 2)));
    return batch::settle;
  }

  private static CrashScenario.Act cancel(ScenarioEnvironment environment) {
    environment.expect("cancelled", "a");
    environment.sound().enqueue(ScenarioEnvironment.task("a").withKey(TaskKey.versioned("doc", 1)));
    CrashScenario.Act act =
        () -> environment.tapped().control().cancel(TaskFilter.all(), "not wanted");
    return act.until(
        "no version waits",
        () -> environment.is("0", "select count(*) from rota_%1$d.task_key_%1$d where live"));
  }

  private static CrashScenario.Act redrive(ScenarioEnvironment environment) {
    environment.expect("done", "a");
    environment.sound().enqueue(ScenarioEnvironment.task("a").withKey(TaskKey.untilSettled("key")));
    try (Batch batch = environment.sound().claim(10)) {
      batch.dead(batch.tasks().get(0), "broken");
      batch.settle();
    }
    return () ->
        environment.tapped().control().redrive(Redrive.all().spreadOver(Duration.ofHours(1)));
  }
}
