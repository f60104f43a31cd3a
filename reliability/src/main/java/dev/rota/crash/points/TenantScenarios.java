package dev.rota.crash.points;

import static dev.rota.crash.points.CrashScenario.once;
import static dev.rota.crash.points.CrashScenario.repeatable;

import dev.rota.Batch;
import dev.rota.Tenant;
import dev.rota.assignment.Assignment;
import dev.rota.assignment.PairPool;
import dev.rota.assignment.TaskPool;
import dev.rota.assignment.WorkerPool;
import dev.rota.control.Redrive;
import dev.rota.control.TaskFilter;
import dev.rota.history.HistoryFilter;
import dev.rota.schedule.Schedule;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Scenarios of operations on tenants, on their tasks by operators, and on their pools. */
final class TenantScenarios {

  private TenantScenarios() {}

  static List<CrashScenario> all() {
    return List.of(
        repeatable("register", TenantScenarios::register),
        repeatable("rename", TenantScenarios::rename),
        repeatable("close and reopen", TenantScenarios::closeAndReopen),
        repeatable("change the policy", TenantScenarios::changePolicy),
        repeatable("make a lane", TenantScenarios::addLane),
        repeatable("cancel", TenantScenarios::cancel),
        repeatable("ask running tasks to end", TenantScenarios::cancelRunning),
        repeatable("redrive", TenantScenarios::redrive),
        repeatable("change priorities", TenantScenarios::changePriority),
        repeatable("take running tasks back", TenantScenarios::returnRunning),
        repeatable("cancel a graph", TenantScenarios::cancelGraph),
        repeatable("pause and resume a schedule", TenantScenarios::pauseSchedule),
        repeatable("remove a schedule", TenantScenarios::removeSchedule),
        repeatable("assign workers of a first pool", TenantScenarios::assignWorkers),
        repeatable("assign and finish tasks", TenantScenarios::assignTasks),
        once("assign pairs", TenantScenarios::assignPairs),
        repeatable("assign in the caller's transaction", TenantScenarios::callersAssignment),
        repeatable("read everything", TenantScenarios::read));
  }

  private static CrashScenario.Act register(ScenarioEnvironment stage) {
    String name = stage.newName();
    CrashScenario.Act registering =
        () -> stage.rota().tenants().register(name).enqueue(ScenarioEnvironment.task("x"));
    return registering.until(
        "one tenant",
        () -> stage.is("1", "select count(*) from rota.tenant where name = '" + name + "'"));
  }

  private static CrashScenario.Act rename(ScenarioEnvironment stage) {
    Tenant tenant = stage.tapped();
    String before = tenant.name();
    CrashScenario.Act renaming =
        () -> {
          if (stage.is(before, "select name from rota.tenant where number = %1$d")) {
            stage.rota().tenants().rename(before, before + "-renamed");
          }
          tenant.enqueue(ScenarioEnvironment.task("a"));
        };
    return whileNothingIsPending(stage, renaming);
  }

  /**
   * Repeats an operation that ends with an enqueue, which its caller would not repeat without a
   * key.
   */
  private static CrashScenario.Act whileNothingIsPending(
      ScenarioEnvironment stage, CrashScenario.Act act) {
    stage.expect("done", "a");
    return () -> {
      if (stage.is("0", "select count(*) from rota_%1$d.task_init_%1$d")) {
        act.run();
      }
    };
  }

  private static CrashScenario.Act closeAndReopen(ScenarioEnvironment stage) {
    String name = stage.tapped().name();
    CrashScenario.Act act =
        () -> {
          stage.rota().tenants().close(name);
          stage.rota().tenants().reopen(name);
        };
    return act.until(
        "open", () -> stage.is("f", "select closed from rota.tenant where number = %1$d"));
  }

  private static CrashScenario.Act changePolicy(ScenarioEnvironment stage) {
    Tenant tenant = stage.tapped();
    CrashScenario.Act act =
        () -> tenant.history().changeRetention(policy -> policy.keepHistory(Duration.ofDays(3)));
    return act.until(
        "kept for three days",
        () ->
            stage.is("72:00:00", "select keep_history from rota.tenant where number = %1$d")
                || stage.is("3 days", "select keep_history from rota.tenant where number = %1$d"));
  }

  private static CrashScenario.Act addLane(ScenarioEnvironment stage) {
    Tenant tenant = stage.tapped();
    CrashScenario.Act act = () -> tenant.addLane(3);
    return act.until(
        "one more lane",
        () -> stage.is("2", "select cardinality(lane_slots) from rota.tenant where number = %1$d"));
  }

  private static CrashScenario.Act cancel(ScenarioEnvironment stage) {
    stage.enqueue("stays");
    stage.expect("cancelled", "pending", "waiting");
    Tenant tenant = stage.sound();
    long pending = tenant.enqueue(ScenarioEnvironment.task("pending"));
    long waiting = tenant.enqueue(ScenarioEnvironment.task("waiting").after(Duration.ofHours(1)));
    return () ->
        stage
            .tapped()
            .control()
            .cancel(TaskFilter.all().ids(List.of(pending, waiting)), "not wanted");
  }

  private static CrashScenario.Act cancelRunning(ScenarioEnvironment stage) {
    stage.expect("cancelled", "a");
    stage.sound().enqueue(ScenarioEnvironment.task("a"));
    Batch running = stage.sound().claim(1);
    return () -> {
      stage.tapped().control().requestCancel(TaskFilter.all(), "not wanted");
      running.fail(running.tasks().get(0), "stopped", Duration.ZERO);
      running.settle();
    };
  }

  private static CrashScenario.Act redrive(ScenarioEnvironment stage) {
    stage.enqueue("a", "b", "c");
    try (Batch batch = stage.sound().claim(10)) {
      batch.forEach(task -> batch.dead(task, "broken"));
      batch.settle();
    }
    return () -> stage.tapped().control().redrive(Redrive.all());
  }

  private static CrashScenario.Act changePriority(ScenarioEnvironment stage) {
    stage.enqueue("a", "b");
    stage.expect("done", "c");
    stage.sound().enqueue(ScenarioEnvironment.task("c").after(Duration.ofHours(1)));
    CrashScenario.Act act = () -> stage.tapped().control().changePriority(TaskFilter.all(), 9);
    return act.until(
        "all have it",
        () -> stage.is("3", "select count(*) from rota_%1$d.task_init_%1$d where priority = 9"));
  }

  private static CrashScenario.Act returnRunning(ScenarioEnvironment stage) {
    stage.enqueue("a", "b");
    Batch zombie = stage.sound().claim(10);
    CrashScenario.Act act = () -> stage.tapped().control().requeueRunning(Duration.ZERO);
    return act.until("the holder has lost it", () -> zombie.settle().leaseLost());
  }

  private static CrashScenario.Act cancelGraph(ScenarioEnvironment stage) {
    stage.expect("cancelled", "a", "b", "c", "d");
    long graph = stage.sound().graphs().enqueue(EnqueueScenarios.diamond()).id();
    return () -> {
      stage.tapped().graphs().list(10);
      stage.tapped().graphs().cancel(graph, "not wanted");
    };
  }

  private static CrashScenario.Act pauseSchedule(ScenarioEnvironment stage) {
    stage.sound().schedules().add(hourly());
    return () -> {
      stage.tapped().schedules().pause("hourly");
      stage.tapped().schedules().resume("hourly");
    };
  }

  private static Schedule hourly() {
    return Schedule.every("hourly", Duration.ofHours(1), ScenarioEnvironment.task("never"));
  }

  private static CrashScenario.Act removeSchedule(ScenarioEnvironment stage) {
    stage.sound().schedules().add(hourly());
    CrashScenario.Act act = () -> stage.tapped().schedules().remove("hourly");
    return act.until(
        "it is gone",
        () -> stage.is("0", "select count(*) from rota.schedule where tenant = %1$d"));
  }

  private static CrashScenario.Act assignWorkers(ScenarioEnvironment stage) {
    return () -> {
      WorkerPool pool = stage.tapped().assignments().workers("crawlers");
      pool.add(List.of(1L, 2L));
      pool.assign(7);
      Assignment seven = pool.findByTask(7).orElseThrow();
      pool.release(seven);
      pool.remove(List.of(1L));
      require(stage, pool.findByTask(7).isEmpty(), "task 7 is released");
      require(stage, pool.countFree() == 1, "one worker is free");
    };
  }

  private static void require(ScenarioEnvironment stage, boolean holds, String what) {
    if (!holds) {
      throw new AssertionError("not so for " + stage.sound() + ": " + what);
    }
  }

  private static CrashScenario.Act assignTasks(ScenarioEnvironment stage) {
    stage.tapped().assignments().tasks("pages").add(List.of(100L, 101L));
    return () -> {
      TaskPool pool = stage.tapped().assignments().tasks("pages");
      pool.assign(1);
      pool.findByWorker(1).ifPresent(pool::finish);
      require(stage, pool.findByWorker(1).isEmpty(), "worker 1 has nothing");
    };
  }

  private static CrashScenario.Act assignPairs(ScenarioEnvironment stage) {
    PairPool pool = stage.tapped().assignments().pairs("crews");
    return () -> pool.assign(1, 7);
  }

  private static CrashScenario.Act callersAssignment(ScenarioEnvironment stage) {
    WorkerPool pool = stage.tapped().assignments().workers("crawlers");
    pool.add(List.of(1L));
    return () -> {
      try (Connection connection = stage.callers()) {
        pool.assign(connection, 7);
        connection.commit();
      }
    };
  }

  private static CrashScenario.Act read(ScenarioEnvironment stage) {
    long id = stage.enqueue("a", "b").get(0);
    return () -> {
      Tenant tenant = stage.tapped();
      tenant.history().scanStates();
      tenant.history().scanAttempts(id);
      tenant.history().page(HistoryFilter.all());
      tenant.history().scanErrorGroups(HistoryFilter.all());
      tenant.control().longRunning(Duration.ZERO);
      tenant.schedules().list();
      tenant.history().statistics(Instant.EPOCH, Instant.now());
      tenant.control().redrive(Redrive.all().dryRun());
      tenant.history().retention();
      stage.rota().tenants().list();
    };
  }
}
