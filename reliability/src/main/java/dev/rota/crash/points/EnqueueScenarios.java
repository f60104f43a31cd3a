package dev.rota.crash.points;

import static dev.rota.crash.points.CrashScenario.once;
import static dev.rota.crash.points.CrashScenario.repeatable;
import static dev.rota.crash.points.ScenarioEnvironment.task;
import static dev.rota.crash.points.ScenarioEnvironment.tasks;

import dev.rota.Batch;
import dev.rota.DatabaseException;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaException;
import dev.rota.TaskKey;
import dev.rota.Tenant;
import dev.rota.graph.EnqueuedGraph;
import dev.rota.graph.TaskGraph;
import dev.rota.schedule.Schedule;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;

/** All ways to enqueue. */
final class EnqueueScenarios {

  /** A payload that needs wide slots. */
  static final String LARGE = "large ".repeat(1_200);

  private EnqueueScenarios() {}

  static List<CrashScenario> all() {
    return List.of(
        once("enqueue", EnqueueScenarios::single),
        once("enqueue in bulk", EnqueueScenarios::bulk),
        once("enqueue asynchronously", EnqueueScenarios::async),
        repeatable("enqueue in the caller's transaction", EnqueueScenarios::callers),
        once("enqueue delayed", EnqueueScenarios::delayed),
        once("enqueue with a first priority", EnqueueScenarios::lane),
        once("enqueue a first large payload", EnqueueScenarios::large),
        repeatable(
            "enqueue a first large payload behind a small one", EnqueueScenarios::largeBehindSmall),
        repeatable(
            "enqueue with a first key",
            environment -> keyed(environment, TaskKey.untilSettled("key"))),
        repeatable("enqueue with a key that is kept", EnqueueScenarios::keptKey),
        repeatable("enqueue with a key in bulk", EnqueueScenarios::keysInBulk),
        repeatable("enqueue a newer version", EnqueueScenarios::newerVersion),
        once("enqueue a first graph", EnqueueScenarios::graph),
        repeatable("enqueue a graph in the caller's transaction", EnqueueScenarios::callersGraph),
        repeatable("enqueue behind an earlier graph", EnqueueScenarios::laterGraph),
        repeatable("enqueue behind a task that died", EnqueueScenarios::graphBehindDead),
        repeatable("add a schedule", EnqueueScenarios::schedule),
        repeatable("change a schedule", EnqueueScenarios::changeSchedule),
        once("run a schedule now", EnqueueScenarios::scheduleNow),
        once("close with asynchronous tasks", EnqueueScenarios::closing));
  }

  private static CrashScenario.Act single(ScenarioEnvironment environment) {
    environment.expect("done", "a");
    return () -> environment.tapped().enqueue(task("a"));
  }

  private static CrashScenario.Act bulk(ScenarioEnvironment environment) {
    environment.expect("done", "a", "b", "c");
    return () -> environment.tapped().enqueueAll(tasks("a", "b", "c"));
  }

  private static CrashScenario.Act async(ScenarioEnvironment environment) {
    Tenant tenant = environment.tapped();
    environment.expect("done", "a");
    return () -> {
      try {
        tenant.enqueueAsync(task("a")).join();
      } catch (CompletionException e) {
        throw (RotaException) e.getCause();
      }
    };
  }

  private static CrashScenario.Act callers(ScenarioEnvironment environment) {
    environment.expect("done", "a", "b", "c");
    return () -> {
      try (Connection connection = environment.callers()) {
        environment.tapped().enqueue(connection, task("a"));
        environment.tapped().enqueueAll(connection, tasks("b", "c"));
        connection.commit();
      }
    };
  }

  private static CrashScenario.Act delayed(ScenarioEnvironment environment) {
    environment.expect("done", "a");
    Tenant tenant = environment.tapped();
    return () -> tenant.enqueue(task("a").after(Duration.ofHours(1)));
  }

  private static CrashScenario.Act lane(ScenarioEnvironment environment) {
    environment.expect("done", "a");
    Tenant tenant = environment.tapped();
    return () -> tenant.enqueue(task("a").priority(5));
  }

  private static CrashScenario.Act large(ScenarioEnvironment environment) {
    environment.expect("done", LARGE);
    Tenant tenant = environment.tapped();
    return () -> tenant.enqueue(task(LARGE));
  }

  private static CrashScenario.Act largeBehindSmall(ScenarioEnvironment environment) {
    environment.enqueue("a");
    environment.expect("done", LARGE, "b");
    Tenant tenant = environment.tapped();
    return () -> {
      try (Connection connection = environment.callers()) {
        tenant.enqueueAll(connection, tasks(LARGE, "b"));
        connection.commit();
      }
    };
  }

  private static CrashScenario.Act keyed(ScenarioEnvironment environment, TaskKey key) {
    environment.expect("done", "a");
    Tenant tenant = environment.tapped();
    return () -> tenant.enqueue(task("a").withKey(key));
  }

  private static CrashScenario.Act keptKey(ScenarioEnvironment environment) {
    NewTask kept = task("a").withKey(TaskKey.keptFor("key", Duration.ofDays(1)));
    environment.expect("done", "a");
    environment.sound().enqueue(kept);
    try (Batch batch = environment.sound().claim(1)) {
      batch.settle();
    }
    Tenant tenant = environment.tapped();
    return () -> tenant.enqueue(kept);
  }

  private static CrashScenario.Act keysInBulk(ScenarioEnvironment environment) {
    environment.expect("done", "a", "b");
    List<NewTask> tasks = List.of(task("a").withKey("1"), task("b").withKey("2"));
    environment.sound().enqueue(tasks.get(1));
    Tenant tenant = environment.tapped();
    return () -> tenant.enqueueAll(tasks);
  }

  /**
   * Enqueues a newer version while the older one runs, so that the newer one is enqueued when that
   * ends.
   */
  private static CrashScenario.Act newerVersion(ScenarioEnvironment environment) {
    environment.expect("done", "old", "new");
    environment.sound().enqueue(task("old").withKey(TaskKey.versioned("doc", 1)));
    Batch running = environment.sound().claim(1);
    Tenant tenant = environment.tapped();
    CrashScenario.Act renewal =
        () -> tenant.enqueue(task("new").withKey(TaskKey.versioned("doc", 2)));
    return () -> {
      renewal.run();
      running.settle();
    };
  }

  static TaskGraph diamond() {
    TaskGraph.Builder graph = TaskGraph.builder();
    TaskGraph.Node first = graph.add(task("a"));
    TaskGraph.Node left = graph.add(task("b")).dependsOn(first);
    TaskGraph.Node right = graph.add(task("c")).dependsOn(first);
    graph.add(task("d")).dependsOn(left, right);
    return graph.build();
  }

  private static CrashScenario.Act graph(ScenarioEnvironment environment) {
    environment.expect("done", "a", "b", "c", "d");
    TaskGraph graph = diamond();
    Tenant tenant = environment.tapped();
    return () -> tenant.graphs().enqueue(graph);
  }

  private static CrashScenario.Act callersGraph(ScenarioEnvironment environment) {
    environment.expect("done", "a", "b", "c", "d");
    TaskGraph graph = diamond();
    return () -> {
      try (Connection connection = environment.callers()) {
        EnqueuedGraph unused = environment.tapped().graphs().enqueue(connection, graph);
        connection.commit();
      }
    };
  }

  private static CrashScenario.Act laterGraph(ScenarioEnvironment environment) {
    environment.expect("done", "a", "b", "c", "d", "e");
    long first = environment.sound().graphs().enqueue(diamond()).taskIds().get(0);
    return () -> enqueueBehind(environment, first);
  }

  /** Enqueues in the caller's transaction, so that it may be repeated. */
  private static void enqueueBehind(ScenarioEnvironment environment, long task)
      throws SQLException {
    TaskGraph.Builder graph = TaskGraph.builder();
    graph.add(task("e")).dependsOnTasks(task);
    try (Connection connection = environment.callers()) {
      EnqueuedGraph unused = environment.tapped().graphs().enqueue(connection, graph.build());
      connection.commit();
    }
  }

  private static CrashScenario.Act graphBehindDead(ScenarioEnvironment environment) {
    environment.expect("dead", "a");
    environment.expect("cancelled", "b", "c", "d", "e");
    long first = environment.sound().graphs().enqueue(diamond()).taskIds().get(0);
    try (Batch batch = environment.sound().claim(1)) {
      batch.dead(batch.tasks().get(0), "broken");
      batch.settle();
    }
    return () -> enqueueBehind(environment, first);
  }

  private static CrashScenario.Act schedule(ScenarioEnvironment environment) {
    Schedule hourly = Schedule.every("hourly", Duration.ofHours(1), task("a"));
    CrashScenario.Act adding = () -> environment.tapped().schedules().add(hourly);
    return adding.until(
        "one schedule",
        () -> environment.is("1", "select count(*) from rota.schedule where tenant = %1$d"));
  }

  private static CrashScenario.Act changeSchedule(ScenarioEnvironment environment) {
    environment.sound().schedules().add(Schedule.every("hourly", Duration.ofHours(1), task("a")));
    Schedule daily = Schedule.every("hourly", Duration.ofDays(1), task("a"));
    CrashScenario.Act changing = () -> environment.tapped().schedules().add(daily);
    return changing.until(
        "it has the other period",
        () ->
            environment.is(
                "t", "select period = interval '1 day' from rota.schedule where tenant = %1$d"));
  }

  private static CrashScenario.Act scheduleNow(ScenarioEnvironment environment) {
    environment.expect("done", "a");
    environment.sound().schedules().add(Schedule.every("hourly", Duration.ofHours(1), task("a")));
    return () -> environment.tapped().schedules().run("hourly");
  }

  /** Closes: all accepted tasks are written before close returns. */
  private static CrashScenario.Act closing(ScenarioEnvironment environment) {
    environment.expect("done", "a");
    Tenant tenant = environment.tapped();
    Rota rota = environment.rota();
    return () -> {
      var future = tenant.enqueueAsync(task("a"));
      rota.close();
      try {
        future.join();
      } catch (CompletionException e) {
        accept(environment, (DatabaseException) Objects.requireNonNull(e.getCause()));
      }
    };
  }

  private static void accept(ScenarioEnvironment environment, DatabaseException e) {
    if (e.outcomeUnknown()) {
      environment.forgive();
    } else {
      environment.expect("", "a");
    }
  }
}
