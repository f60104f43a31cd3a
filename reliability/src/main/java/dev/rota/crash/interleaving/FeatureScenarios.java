package dev.rota.crash.interleaving;

import dev.rota.NewTask;
import dev.rota.TaskKey;
import dev.rota.graph.TaskGraph;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** InterleavingScenarios of keys, versions and graphs. */
public final class FeatureScenarios {

  private static final String KEY = "invoice-7";

  private FeatureScenarios() {}

  /** Two producers with one key, while the task that has it ends. */
  public static ScriptedScenario keys() {
    return ScriptedScenario.named("keys")
        .given(
            environment -> {
              environment.enqueue(0, environment.task().withKey(KEY));
              environment.hold(1, 1);
            })
        .actor("producer", FeatureScenarios::enqueueWithKey)
        .actor("other producer", FeatureScenarios::enqueueWithKeyElsewhere)
        .actor("settler", environment -> environment.settle(environment.held(0)))
        .actor("claimer", environment -> environment.work(2, 10))
        .then(FeatureScenarios::oneAtATime);
  }

  private static void enqueueWithKey(InterleavingEnvironment environment) {
    enqueueWithKey(environment, 0);
  }

  private static void enqueueWithKeyElsewhere(InterleavingEnvironment environment) {
    enqueueWithKey(environment, 4);
  }

  /**
   * Enqueues with a key. The id may be that of the task which has the key, whose payload differs.
   */
  private static void enqueueWithKey(InterleavingEnvironment environment, int process) {
    NewTask task = environment.task().withKey(KEY);
    long id = environment.tenant(process).enqueueAll(List.of(task)).get(0);
    environment.exists(id);
  }

  /**
   * Checks that each task with a key began after the previous one had ended; at most one was ever
   * live.
   */
  private static void oneAtATime(InterleavingEnvironment environment, Census census)
      throws Exception {
    long open = environment.number("select count(*) from " + environment.table("task_key"));
    if (open != 0) {
      throw new Violation("all tasks have ended, and keys are still taken: " + open);
    }
  }

  /** Newer versions, while an older one runs. */
  public static ScriptedScenario versions() {
    return ScriptedScenario.named("versions")
        .thatRunsAgain()
        .given(
            environment -> {
              enqueueVersion(environment, 0, 1);
              environment.hold(1, 1);
            })
        .actor("producer", environment -> enqueueVersion(environment, 0, 2))
        .actor("other producer", environment -> enqueueVersion(environment, 4, 3))
        .actor("settler", environment -> environment.settle(environment.held(0)))
        .actor("claimer", environment -> environment.work(2, 10))
        .then(
            (environment, census) -> {
              long newest =
                  environment.number(
                      "select coalesce(max((payload::json ->> 'version')::int), 0) from "
                          + environment.table("task_hist")
                          + " where state = 'done'");
              if (newest != 3) {
                throw new Violation("version 3 was enqueued, and the newest that ran is " + newest);
              }
            });
  }

  private static void enqueueVersion(
      InterleavingEnvironment environment, int process, int version) {
    NewTask task = NewTask.of("index", "{\"version\": " + version + "}");
    long id =
        environment
            .tenant(process)
            .enqueueAll(List.of(task.withKey(TaskKey.versioned(KEY, version))))
            .get(0);
    environment.exists(id);
  }

  /** A task with two parents, which end at the same time. */
  public static ScriptedScenario graph() {
    return ScriptedScenario.named("graph")
        .given(
            environment -> {
              enqueueGraph(environment);
              environment.hold(1, 1);
              environment.hold(4, 1);
            })
        .actor("settler", environment -> environment.settle(environment.held(0)))
        .actor("other settler", environment -> environment.settle(environment.held(1)))
        .actor("claimer", environment -> environment.work(2, 10))
        .always(FeatureScenarios::childComesLast)
        .then(
            (environment, census) -> {
              Map<String, Integer> ends = new HashMap<>();
              census.rows().forEach(row -> ends.merge(row.place(), 1, Integer::sum));
              if (!ends.equals(Map.of("done", 3))) {
                throw new Violation("two parents and a child are to be done: " + census.rows());
              }
            });
  }

  private static void childComesLast(InterleavingEnvironment environment, Census census) {
    boolean parentsLive =
        census.rows().stream().anyMatch(row -> row.isLive() && row.id() != environment.known(2));
    boolean childBegan =
        census.rows().stream()
            .anyMatch(row -> row.id() == environment.known(2) && !row.place().equals("held"));
    if (parentsLive && childBegan) {
      throw new Violation("the child began before its parents had ended: " + census.rows());
    }
  }

  private static void enqueueGraph(InterleavingEnvironment environment) {
    TaskGraph.Builder builder = TaskGraph.builder();
    TaskGraph.Node one = builder.add(environment.task());
    TaskGraph.Node other = builder.add(environment.task());
    builder.add(environment.task()).dependsOn(one, other);
    environment.tenant(0).graphs().enqueue(builder.build()).taskIds().forEach(environment::exists);
  }

  /** A task with two parents, one of which belongs to a dead worker. */
  public static ScriptedScenario graphOfTheDead() {
    return ScriptedScenario.named("graph of the dead")
        .given(
            environment -> {
              enqueueGraph(environment);
              environment.hold(1, 2);
              environment.endLeases();
            })
        .actor("zombie", environment -> environment.settle(environment.held(0)))
        .actor("reaper", environment -> environment.daemon(3).reap())
        .actor("claimer", environment -> environment.work(2, 1))
        .actor("other claimer", environment -> environment.work(4, 10))
        .always(FeatureScenarios::childComesLast)
        .finallyDo(environment -> environment.daemon(3).reap());
  }
}
