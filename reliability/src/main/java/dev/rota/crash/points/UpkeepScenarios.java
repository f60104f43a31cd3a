package dev.rota.crash.points;

import static dev.rota.crash.points.CrashScenario.repeatable;
import static dev.rota.crash.points.DaemonScenarios.AGO;
import static dev.rota.crash.points.DaemonScenarios.act;

import dev.rota.Batch;
import dev.rota.TaskKey;
import dev.rota.assignment.WorkerPool;
import dev.rota.control.TaskFilter;
import dev.rota.schedule.OverlappingRuns;
import dev.rota.schedule.Schedule;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Scenarios of further maintenance: schedules, pools, graphs, keys and the registry. */
final class UpkeepScenarios {

  private UpkeepScenarios() {}

  static List<CrashScenario> all() {
    return List.of(
        repeatable("enqueue by the clock", UpkeepScenarios::occurrence),
        repeatable("skip an occurrence by the clock", UpkeepScenarios::skipped),
        repeatable("end the assignments of the dead", UpkeepScenarios::reapAssignments),
        repeatable("look after graphs", UpkeepScenarios::lookAfterGraphs),
        repeatable("forget a graph", UpkeepScenarios::forgetGraph),
        repeatable("forget keys", UpkeepScenarios::forgetKeys),
        repeatable("clean the registry", UpkeepScenarios::cleanRegistry),
        repeatable("look at everything", UpkeepScenarios::lookAtEverything),
        repeatable("read the status", UpkeepScenarios::readStatus));
  }

  private static CrashScenario.Act occurrence(ScenarioEnvironment stage) throws SQLException {
    stage.expect("done", "a");
    stage
        .sound()
        .schedules()
        .add(Schedule.every("hourly", Duration.ofHours(1), ScenarioEnvironment.task("a")));
    return runSchedule(stage);
  }

  /** Skips an occurrence: the task of the last one still runs. */
  private static CrashScenario.Act skipped(ScenarioEnvironment stage) throws SQLException {
    stage.expect("done", "a");
    stage
        .sound()
        .schedules()
        .add(
            Schedule.every("hourly", Duration.ofHours(1), ScenarioEnvironment.task("a"))
                .overlapping(OverlappingRuns.SKIP));
    stage.sound().schedules().run("hourly");
    Batch unused = stage.sound().claim(1);
    return runSchedule(stage);
  }

  private static CrashScenario.Act runSchedule(ScenarioEnvironment stage) throws SQLException {
    stage.execute(
        "update rota.schedule set run_at = now() - interval '1 second',"
            + " planned_at = now() - interval '1 second' where tenant = %1$d");
    return act(stage, "look for due schedules")
        .until(
            "its turn is over",
            () -> stage.is("t", "select run_at > now() from rota.schedule where tenant = %1$d"));
  }

  private static CrashScenario.Act reapAssignments(ScenarioEnvironment stage) throws SQLException {
    WorkerPool pool = stage.tapped().assignments().workers("crawlers");
    pool.add(List.of(1L));
    pool.assign(7);
    stage.bury();
    return act(stage, "look for assignments of dead workers")
        .until(
            "the worker is free again",
            () ->
                stage.is(
                    "0 1",
                    "select (select count(*) from rota_%1$d.task_assignment_%1$d) || ' '"
                        + " || (select count(*) from rota_%1$d.task_free_%1$d)"));
  }

  /** Maintains graphs: the death of a parent has yet to be propagated. */
  private static CrashScenario.Act lookAfterGraphs(ScenarioEnvironment stage) throws SQLException {
    stage.expect("done", "a");
    stage.expect("done", "b", "c", "d");
    stage.sound().graphs().enqueue(EnqueueScenarios.diamond());
    try (Batch batch = stage.sound().claim(10)) {
      batch.settle();
    }
    return act(stage, "look after graphs", "look after graphs");
  }

  private static CrashScenario.Act forgetGraph(ScenarioEnvironment stage) throws Exception {
    stage.expect("done", "a", "b", "c", "d");
    stage.sound().graphs().enqueue(EnqueueScenarios.diamond());
    for (int generation = 0; generation < 3; generation++) {
      try (Batch batch = stage.sound().claim(10)) {
        batch.settle();
      }
    }
    stage.bench().daemon().perform("look after graphs");
    stage.execute("update rota_%1$d.task_graph_%1$d set finished_at" + AGO);
    return act(stage, "look after graphs")
        .until(
            "it is forgotten",
            () ->
                stage.is(
                    "f",
                    "select exists (select from rota_%1$d.task_graph_%1$d)"
                        + " or exists (select from rota_%1$d.task_node_%1$d)"));
  }

  private static CrashScenario.Act forgetKeys(ScenarioEnvironment stage) throws SQLException {
    stage.expect("done", "a");
    stage
        .sound()
        .enqueue(ScenarioEnvironment.task("a").withKey(TaskKey.keptFor("key", Duration.ofDays(1))));
    try (Batch batch = stage.sound().claim(10)) {
      batch.settle();
    }
    stage.execute("update rota_%1$d.task_key_%1$d set free_at" + AGO);
    return act(stage, "forget old keys")
        .until(
            "it is forgotten", () -> stage.is("0", "select count(*) from rota_%1$d.task_key_%1$d"));
  }

  private static CrashScenario.Act cleanRegistry(ScenarioEnvironment stage) throws SQLException {
    stage.enqueue("a");
    Batch batch = stage.sound().claim(10);
    stage.sound().control().requestCancel(TaskFilter.all(), "not wanted");
    batch.settle();
    return act(stage, "clean the registry")
        .until(
            "no request is left", () -> stage.is("0", "select count(*) from rota.cancel_request"));
  }

  private static CrashScenario.Act readStatus(ScenarioEnvironment stage) {
    stage.enqueue("a");
    return () -> stage.rota().admin().status();
  }

  private static CrashScenario.Act lookAtEverything(ScenarioEnvironment stage) {
    stage.enqueue("a");
    return () ->
        stage
            .daemon()
            .perform(
                "read the registry of tenants",
                "confirm the leadership",
                "look for old row versions");
  }
}
