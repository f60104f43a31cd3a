package dev.rota.dashboard.internal.action;

import dev.rota.Rota;
import dev.rota.control.TaskControl;
import dev.rota.control.TaskFilter;
import dev.rota.dashboard.Right;
import dev.rota.dashboard.internal.action.Action.Counted;
import dev.rota.dashboard.internal.action.Action.Plan;
import dev.rota.dashboard.internal.view.Inputs;
import dev.rota.dashboard.internal.view.Show;
import dev.rota.dashboard.internal.view.View.Field;
import dev.rota.dashboard.internal.view.Visit;
import dev.rota.graph.GraphProgress;
import dev.rota.graph.Graphs;
import dev.rota.graph.UnknownGraphException;
import dev.rota.insight.RunningBatch;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;

/** Actions on the tasks of a tenant that have not ended. Thread-safe. */
final class CancelActions {

  private static final int MOST_BATCHES = 10_000;
  private static final String TENANT = "tenant";
  private static final String KIND = "kind";
  private static final String TASK = "task";
  private static final String KEY = "key";
  private static final String GRAPH = "graph";
  private static final String REASON = "reason";
  private static final String LONGER = "longer";
  private static final String PRIORITY = "priority";

  private final Rota rota;

  CancelActions(Rota rota) {
    this.rota = rota;
  }

  List<Action> all() {
    return List.of(
        new Action(
            "cancel",
            "Cancel tasks",
            Right.CANCEL,
            visit -> fields(visit, Inputs.optional(visit, REASON, "Reason, kept with the tasks")),
            visit -> planned(visit, this::cancel)),
        new Action(
            "ask-to-end",
            "Ask running tasks to end",
            Right.CANCEL,
            visit -> fields(visit, Inputs.optional(visit, REASON, "Reason, kept with the tasks")),
            visit -> planned(visit, this::askToEnd)),
        new Action(
            "priority",
            "Change the priority of tasks",
            Right.CANCEL,
            visit -> fields(visit, Inputs.needed(visit, PRIORITY, "Priority, -1000 to 1000")),
            visit -> visit.parameter(PRIORITY).flatMap(given -> planned(visit, this::priority))),
        new Action(
            "graph-cancel",
            "Cancel the rest of a graph",
            Right.CANCEL,
            visit ->
                List.of(
                    Inputs.needed(visit, TENANT, "Tenant"),
                    Inputs.needed(visit, GRAPH, "Number of the graph"),
                    Inputs.optional(visit, REASON, "Reason, kept with the tasks")),
            visit -> visit.parameter(GRAPH).flatMap(given -> planned(visit, this::cancelGraph))),
        new Action(
            "take-back",
            "Take running tasks from their workers",
            Right.CANCEL,
            visit ->
                List.of(
                    Inputs.needed(visit, TENANT, "Tenant"),
                    Inputs.needed(visit, LONGER, "Claimed longer ago than, such as 10 min")),
            visit -> visit.parameter(LONGER).flatMap(given -> planned(visit, this::takeBack))));
  }

  private static List<Field> fields(Visit visit, Field last) {
    return List.of(
        Inputs.needed(visit, TENANT, "Tenant"),
        Inputs.optional(visit, KIND, "Kind"),
        Inputs.optional(visit, TASK, "Number of a task"),
        Inputs.optional(visit, KEY, "Key of a task"),
        last);
  }

  /** Makes the plan of an action on one tenant. */
  private interface Planner {
    Plan plan(Visit visit, String tenant);
  }

  private static Optional<Plan> planned(Visit visit, Planner planner) {
    Optional<String> tenant = visit.parameter(TENANT);
    tenant.ifPresent(visit::require);
    return tenant.map(name -> planner.plan(visit, name));
  }

  private static TaskFilter filter(Visit visit) {
    TaskFilter all = TaskFilter.all();
    TaskFilter ofKind = visit.parameter(KIND).map(all::kind).orElse(all);
    TaskFilter ofKey = visit.parameter(KEY).map(ofKind::key).orElse(ofKind);
    OptionalLong task = Inputs.number(visit, TASK);
    return task.isPresent() ? ofKey.ids(Set.of(task.getAsLong())) : ofKey;
  }

  private TaskControl control(String tenant) {
    return rota.tenants().get(tenant).control();
  }

  private static String reason(Visit visit) {
    return visit
        .parameter(REASON)
        .orElseGet(() -> "cancelled by " + visit.viewer().name() + " in the dashboard");
  }

  private Plan cancel(Visit visit, String tenant) {
    TaskFilter filter = filter(visit);
    CountListener counting = new CountListener(visit);
    long tasks = control(tenant).count(filter, counting);
    String reason = reason(visit);
    return new Plan(
        Optional.of(tenant),
        about(visit, REASON),
        "It cancels " + counting.text(tasks) + " among those pending and waiting.",
        counting.exact(tasks),
        progress -> {
          control(tenant).cancel(filter, reason, progress);
          return "";
        });
  }

  private Plan cancelGraph(Visit visit, String tenant) {
    long id = Inputs.number(GRAPH, visit.required(GRAPH));
    Graphs graphs = rota.tenants().get(tenant).graphs();
    GraphProgress graph =
        graphs
            .find(id)
            .orElseThrow(() -> new UnknownGraphException("the tenant has no graph " + id));
    long left = graph.tasks() - graph.ended();
    String reason = reason(visit);
    return new Plan(
        Optional.of(tenant),
        Inputs.about(visit, TENANT, GRAPH, REASON),
        "It cancels up to %s tasks; those that run go on.".formatted(Show.count(left)),
        Counted.of(left),
        progress -> {
          progress.proceed(graphs.cancel(id, reason));
          return "";
        });
  }

  private static String about(Visit visit, String further) {
    return Inputs.about(visit, TENANT, KIND, TASK, KEY, further);
  }

  private Plan askToEnd(Visit visit, String tenant) {
    TaskFilter filter = filter(visit);
    String reason = reason(visit);
    return Plan.of(
        Optional.of(tenant),
        about(visit, REASON),
        "It asks those chosen to end, among %s tasks that run now."
            .formatted(Show.count(running(tenant, batch -> true))),
        progress -> {
          progress.proceed(control(tenant).requestCancel(filter, reason));
          return "";
        });
  }

  private long running(String tenant, Predicate<RunningBatch> which) {
    return rota.insight().running(MOST_BATCHES).stream()
        .filter(batch -> batch.tenant().equals(tenant))
        .filter(which)
        .mapToLong(RunningBatch::tasks)
        .sum();
  }

  private Plan takeBack(Visit visit, String tenant) {
    Duration longer = Inputs.duration(visit, LONGER).orElseThrow();
    long tasks = running(tenant, batch -> batch.age().compareTo(longer) > 0);
    return new Plan(
        Optional.of(tenant),
        about(visit, LONGER),
        "It takes back up to %s tasks, which other workers run again.".formatted(Show.count(tasks)),
        Counted.of(tasks),
        progress -> {
          progress.proceed(control(tenant).requeueRunning(longer));
          return "";
        });
  }

  private Plan priority(Visit visit, String tenant) {
    TaskFilter filter = filter(visit);
    int priority = Inputs.small(visit, PRIORITY).orElseThrow();
    CountListener counting = new CountListener(visit);
    long tasks = control(tenant).count(filter, counting);
    return new Plan(
        Optional.of(tenant),
        about(visit, PRIORITY),
        "It gives priority %d to %s among those pending and waiting."
            .formatted(priority, counting.text(tasks)),
        counting.exact(tasks),
        progress -> {
          control(tenant).changePriority(filter, priority, progress);
          return "";
        });
  }
}
