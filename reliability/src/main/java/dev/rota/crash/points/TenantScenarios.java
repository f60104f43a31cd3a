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

  private static CrashScenario.Act register(ScenarioEnvironment environment) {
    String name = environment.newName();
    CrashScenario.Act registering =
        () -> environment.rota().tenants().register(name).enqueue(ScenarioEnvironment.task("x"));
    return registering.until(
        "one tenant",
        () -> environment.is("1", "select count(*) from rota.tenant where name = '" + name + "'"));
  }

  private static CrashScenario.Act rename(ScenarioEnvironment environment) {
    Tenant tenant = environment.tapped();
    String before = tenant.name();
    CrashScenario.Act renaming =
        () -> {
          if (environment.is(before, "select name from rota.tenant where number = %1$d")) {
            environment.rota().tenants().rename(before, before + "-renamed");
          }
          tenant.enqueue(ScenarioEnvironment.task("a"));
        };
    return whileNothingIsPending(environment, renaming);
  }

  /**
   * Repeats an operation that ends with an enqueue, which its caller would not repeat without a
   * key.
   */
  private static CrashScenario.Act whileNothingIsPending(
      ScenarioEnvironment environment, CrashScenario.Act act) {
    environment.expect("done", "a");
    return () -> {
      if (environment.is("0", "select count(*) from rota_%1$d.task_init_%1$d")) {
        act.run();
      }
    };
  }

  private static CrashScenario.Act closeAndReopen(ScenarioEnvironment environment) {
    String name = environment.tapped().name();
    CrashScenario.Act act =
        () -> {
          environment.rota().tenants().close(name);
          environment.rota().tenants().reopen(name);
        };
    return act.until(
        "open", () -> environment.is("f", "select closed from rota.tenant where number = %1$d"));
  }

  private static CrashScenario.Act changePolicy(ScenarioEnvironment environment) {
    Tenant tenant = environment.tapped();
    CrashScenario.Act act =
        () -> tenant.history().changeRetention(policy -> policy.keepHistory(Duration.ofDays(3)));
    return act.until(
        "kept for three days",
        () ->
            environment.is("72:00:00", "select keep_history from rota.tenant where number = %1$d")
                || environment.is(
                    "3 days", "select keep_history from rota.tenant where number = %1$d"));
  }

  private static CrashScenario.Act addLane(ScenarioEnvironment environment) {
    Tenant tenant = environment.tapped();
    CrashScenario.Act act = () -> tenant.addLane(3);
    return act.until(
        "one more lane",
        () ->
            environment.is(
                "2", "select cardinality(lane_slots) from rota.tenant where number = %1$d"));
  }

  private static CrashScenario.Act cancel(ScenarioEnvironment environment) {
    environment.enqueue("stays");
    environment.expect("cancelled", "pending", "waiting");
    Tenant tenant = environment.sound();
    long pending = tenant.enqueue(ScenarioEnvironment.task("pending"));
    long waiting = tenant.enqueue(ScenarioEnvironment.task("waiting").after(Duration.ofHours(1)));
    return () ->
        environment
            .tapped()
            .control()
            .cancel(TaskFilter.all().ids(List.of(pending, waiting)), "not wanted");
  }

  private static CrashScenario.Act cancelRunning(ScenarioEnvironment environment) {
    environment.expect("cancelled", "a");
    environment.sound().enqueue(ScenarioEnvironment.task("a"));
    Batch running = environment.sound().claim(1);
    return () -> {
      environment.tapped().control().requestCancel(TaskFilter.all(), "not wanted");
      running.fail(running.tasks().get(0), "stopped", Duration.ZERO);
      running.settle();
    };
  }

  private static CrashScenario.Act redrive(ScenarioEnvironment environment) {
    environment.enqueue("a", "b", "c");
    try (Batch batch = environment.sound().claim(10)) {
      batch.forEach(task -> batch.dead(task, "broken"));
      batch.settle();
    }
    return () -> environment.tapped().control().redrive(Redrive.all());
  }

  private static CrashScenario.Act changePriority(ScenarioEnvironment environment) {
    environment.enqueue("a", "b");
    environment.expect("done", "c");
    environment.sound().enqueue(ScenarioEnvironment.task("c").after(Duration.ofHours(1)));
    CrashScenario.Act act =
        () -> environment.tapped().control().changePriority(TaskFilter.all(), 9);
    return act.until(
        "all have it",
        () ->
            environment.is(
                "3", "select count(*) from rota_%1$d.task_init_%1$d where priority = 9"));
  }

  private static CrashScenario.Act returnRunning(ScenarioEnvironment environment) {
    environment.enqueue("a", "b");
    Batch zombie = environment.sound().claim(10);
    CrashScenario.Act act = () -> environment.tapped().control().requeueRunning(Duration.ZERO);
    return act.until("the holder has lost it", () -> zombie.settle().leaseLost());
  }

  private static CrashScenario.Act cancelGraph(ScenarioEnvironment environment) {
    environment.expect("cancelled", "a", "b", "c", "d");
    long graph = environment.sound().graphs().enqueue(EnqueueScenarios.diamond()).id();
    return () -> {
      environment.tapped().graphs().list(10);
      environment.tapped().graphs().nodes(graph, 0, 10);
      environment.tapped().graphs().cancel(graph, "not wanted");
    };
  }

  private static CrashScenario.Act pauseSchedule(ScenarioEnvironment environment) {
    environment.sound().schedules().add(hourly());
    return () -> {
      environment.tapped().schedules().pause("hourly");
      environment.tapped().schedules().resume("hourly");
    };
  }

  private static Schedule hourly() {
    return Schedule.every("hourly", Duration.ofHours(1), ScenarioEnvironment.task("never"));
  }

  private static CrashScenario.Act removeSchedule(ScenarioEnvironment environment) {
    environment.sound().schedules().add(hourly());
    CrashScenario.Act act = () -> environment.tapped().schedules().remove("hourly");
    return act.until(
        "it is gone",
        () -> environment.is("0", "select count(*) from rota.schedule where tenant = %1$d"));
  }

  private static CrashScenario.Act assignWorkers(ScenarioEnvironment environment) {
    return () -> {
      WorkerPool pool = environment.tapped().assignments().workers("crawlers");
      pool.add(List.of(1L, 2L));
      pool.assign(7);
      Assignment seven = pool.findByTask(7).orElseThrow();
      pool.release(seven);
      pool.remove(List.of(1L));
      require(environment, pool.findByTask(7).isEmpty(), "task 7 is released");
      require(environment, pool.countFree() == 1, "one worker is free");
    };
  }

  private static void require(ScenarioEnvironment environment, boolean holds, String what) {
    if (!holds) {
      throw new AssertionError("not so for " + environment.sound() + ": " + what);
    }
  }

  private static CrashScenario.Act assignTasks(ScenarioEnvironment environment) {
    environment.tapped().assignments().tasks("pages").add(List.of(100L, 101L));
    return () -> {
      TaskPool pool = environment.tapped().assignments().tasks("pages");
      pool.assign(1);
      pool.findByWorker(1).ifPresent(pool::finish);
      require(environment, pool.findByWorker(1).isEmpty(), "worker 1 has nothing");
    };
  }

  private static CrashScenario.Act assignPairs(ScenarioEnvironment environment) {
    PairPool pool = environment.tapped().assignments().pairs("crews");
    return () -> pool.assign(1, 7);
  }

  private static CrashScenario.Act callersAssignment(ScenarioEnvironment environment) {
    WorkerPool pool = environment.tapped().assignments().workers("crawlers");
    pool.add(List.of(1L));
    return () -> {
      try (Connection connection = environment.callers()) {
        pool.assign(connection, 7);
        connection.commit();
      }
    };
  }

  private static CrashScenario.Act read(ScenarioEnvironment environment) {
    DaemonScenarios.runOne(environment, "ended");
    long id = environment.enqueue("a", "b").get(0);
    return () -> {
      Tenant tenant = environment.tapped();
      tenant.history().scanStates();
      tenant.history().scanAttempts(id);
      tenant.history().page(HistoryFilter.all());
      tenant.history().scanErrorGroups(HistoryFilter.all());
      tenant.control().longRunning(Duration.ZERO);
      tenant.schedules().list();
      tenant.history().statistics(Instant.EPOCH, Instant.now());
      tenant.control().redrive(Redrive.all().dryRun());
      tenant.history().retention();
      long unused = environment.rota().metering().usage(Instant.EPOCH, Instant.now()).count();
      environment.rota().metering().verify(Instant.EPOCH, Instant.now());
      environment.rota().tenants().list();
    };
  }
}
