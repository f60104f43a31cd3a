package dev.rota.crash.interleaving;

import dev.rota.NewTask;
import dev.rota.TaskKey;
import dev.rota.graph.TaskGraph;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Scenarios of keys, versions and graphs. */
public final class FeaturePlots {

  private static final String KEY = "invoice-7";

  private FeaturePlots() {}

  /** Two producers with one key, while the task that has it ends. */
  public static ScriptedScenario keys() {
    return ScriptedScenario.named("keys")
        .given(
            world -> {
              world.enqueue(0, world.task().withKey(KEY));
              world.hold(1, 1);
            })
        .actor("producer", FeaturePlots::enqueueWithKey)
        .actor("other producer", FeaturePlots::enqueueWithKeyElsewhere)
        .actor("settler", world -> world.settle(world.held(0)))
        .actor("claimer", world -> world.work(2, 10))
        .then(FeaturePlots::oneAtATime);
  }

  private static void enqueueWithKey(InterleavingEnvironment world) {
    enqueueWithKey(world, 0);
  }

  private static void enqueueWithKeyElsewhere(InterleavingEnvironment world) {
    enqueueWithKey(world, 4);
  }

  /**
   * Enqueues with a key. The id may be that of the task which has the key, whose payload differs.
   */
  private static void enqueueWithKey(InterleavingEnvironment world, int process) {
    NewTask task = world.task().withKey(KEY);
    long id = world.tenant(process).enqueueAll(List.of(task)).get(0);
    world.exists(id);
  }

  /**
   * Checks that each task with a key began after the previous one had ended; at most one was ever
   * live.
   */
  private static void oneAtATime(InterleavingEnvironment world, Census census) throws Exception {
    long open = world.number("select count(*) from " + world.table("task_key"));
    if (open != 0) {
      throw new Violation("all tasks have ended, and keys are still taken: " + open);
    }
  }

  /** Newer versions, while an older one runs. */
  public static ScriptedScenario versions() {
    return ScriptedScenario.named("versions")
        .thatRunsAgain()
        .given(
            world -> {
              enqueueVersion(world, 0, 1);
              world.hold(1, 1);
            })
        .actor("producer", world -> enqueueVersion(world, 0, 2))
        .actor("other producer", world -> enqueueVersion(world, 4, 3))
        .actor("settler", world -> world.settle(world.held(0)))
        .actor("claimer", world -> world.work(2, 10))
        .then(
            (world, census) -> {
              long newest =
                  world.number(
                      "select coalesce(max((payload::json ->> 'version')::int), 0) from "
                          + world.table("task_hist")
                          + " where state = 'done'");
              if (newest != 3) {
                throw new Violation("version 3 was enqueued, and the newest that ran is " + newest);
              }
            });
  }

  private static void enqueueVersion(InterleavingEnvironment world, int process, int version) {
    NewTask task = NewTask.of("index", "{\"version\": " + version + "}");
    long id =
        world
            .tenant(process)
            .enqueueAll(List.of(task.withKey(TaskKey.versioned(KEY, version))))
            .get(0);
    world.exists(id);
  }

  /** A task with two parents, which end at the same time. */
  public static ScriptedScenario graph() {
    return ScriptedScenario.named("graph")
        .given(
            world -> {
              enqueueGraph(world);
              world.hold(1, 1);
              world.hold(4, 1);
            })
        .actor("settler", world -> world.settle(world.held(0)))
        .actor("other settler", world -> world.settle(world.held(1)))
        .actor("claimer", world -> world.work(2, 10))
        .always(FeaturePlots::childComesLast)
        .then(
            (world, census) -> {
              Map<String, Integer> ends = new HashMap<>();
              census.rows().forEach(row -> ends.merge(row.place(), 1, Integer::sum));
              if (!ends.equals(Map.of("done", 3))) {
                throw new Violation("two parents and a child are to be done: " + census.rows());
              }
            });
  }

  private static void childComesLast(InterleavingEnvironment world, Census census) {
    boolean parentsLive =
        census.rows().stream().anyMatch(row -> row.isLive() && row.id() != world.known(2));
    boolean childBegan =
        census.rows().stream()
            .anyMatch(row -> row.id() == world.known(2) && !row.place().equals("held"));
    if (parentsLive && childBegan) {
      throw new Violation("the child began before its parents had ended: " + census.rows());
    }
  }

  private static void enqueueGraph(InterleavingEnvironment world) {
    TaskGraph.Builder builder = TaskGraph.builder();
    TaskGraph.Node one = builder.add(world.task());
    TaskGraph.Node other = builder.add(world.task());
    builder.add(world.task()).dependsOn(one, other);
    world.tenant(0).graphs().enqueue(builder.build()).taskIds().forEach(world::exists);
  }

  /** A task with two parents, one of which belongs to a dead worker. */
  public static ScriptedScenario graphOfTheDead() {
    return ScriptedScenario.named("graph of the dead")
        .given(
            world -> {
              enqueueGraph(world);
              world.hold(1, 2);
              world.endLeases();
            })
        .actor("zombie", world -> world.settle(world.held(0)))
        .actor("reaper", world -> world.daemon(3).reap())
        .actor("claimer", world -> world.work(2, 1))
        .actor("other claimer", world -> world.work(4, 10))
        .always(FeaturePlots::childComesLast)
        .finallyDo(world -> world.daemon(3).reap());
  }
}
