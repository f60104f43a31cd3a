package dev.rota.dashboard.internal.page;

import dev.rota.dashboard.Right;
import dev.rota.dashboard.internal.view.Hours;
import dev.rota.dashboard.internal.view.View.Block;
import dev.rota.dashboard.internal.view.View.Cell;
import dev.rota.dashboard.internal.view.View.Choice;
import dev.rota.dashboard.internal.view.View.Choices;
import dev.rota.dashboard.internal.view.Visit;
import dev.rota.graph.GraphProgress;
import dev.rota.insight.ErrorActivity;
import dev.rota.insight.ScheduleEntry;
import dev.rota.limits.Rule;
import dev.rota.limits.Scope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Links to the actions that a viewer may begin on what a page shows. */
final class Offers {

  private static final String TENANT = "tenant";

  private Offers() {}

  static List<Block> ofTenant(Visit visit, String tenant) {
    List<Choice> offers = new ArrayList<>();
    offers.add(new Choice("why tasks wait", visit.links().to("/why", TENANT, tenant), false));
    offers.add(new Choice("schedules", visit.links().to("/schedules", TENANT, tenant), false));
    offers.add(new Choice("failures", visit.links().to("/failures", TENANT, tenant), false));
    offers.add(new Choice("graphs", visit.links().to("/graphs", TENANT, tenant), false));
    offers.add(new Choice("audit", visit.links().to("/audit", TENANT, tenant), false));
    Map<String, String> of = Map.of(TENANT, tenant);
    Map<String, String> scope = Map.of("scope", Scope.tenant(tenant).toString());
    add(offers, visit, Right.ENQUEUE, "enqueue a task", "enqueue", of);
    add(offers, visit, Right.REDRIVE, "run dead tasks again", "redrive", of);
    add(offers, visit, Right.REDRIVE, "replay history", "replay", of);
    add(offers, visit, Right.CANCEL, "cancel tasks", "cancel", of);
    add(offers, visit, Right.CANCEL, "ask to end", "ask-to-end", of);
    add(offers, visit, Right.CANCEL, "take back", "take-back", of);
    add(offers, visit, Right.CANCEL, "change priority", "priority", of);
    add(offers, visit, Right.TENANT, "pause", "pause", scope);
    add(offers, visit, Right.TENANT, "resume", "resume", scope);
    add(offers, visit, Right.TENANT, "limits", "limits", scope);
    add(offers, visit, Right.TENANT, "close", "close", of);
    add(offers, visit, Right.TENANT, "open again", "reopen", of);
    return List.of(new Choices("Go to", offers));
  }

  static List<Block> ofKind(Visit visit, Scope kind) {
    Map<String, String> scope = Map.of("scope", kind.toString());
    List<Choice> offers = new ArrayList<>();
    add(offers, visit, Right.TENANT, "pause", "pause", scope);
    add(offers, visit, Right.TENANT, "resume", "resume", scope);
    add(offers, visit, Right.TENANT, "limits", "limits", scope);
    return offers.isEmpty() ? List.of() : List.of(new Choices("Do", offers));
  }

  static Cell ofError(Visit visit, ErrorActivity error) {
    Map<String, String> fields = new HashMap<>();
    fields.put("fingerprint", Long.toString(error.fingerprint()));
    fields.put("kind", error.kind());
    visit.parameter("hours").ifPresent(hours -> fields.put("hours", hours));
    visit.tenantFilter().ifPresent(tenant -> fields.put(TENANT, tenant));
    List<Choice> offers = new ArrayList<>();
    if (error.attempts().dead() > 0) {
      add(offers, visit, Right.REDRIVE, "run again", "redrive", fields);
    }
    return Cell.links(offers);
  }

  static List<Choice> ofTask(Visit visit, String tenant, long id, boolean isDead) {
    Map<String, String> fields = Map.of(TENANT, tenant, "task", Long.toString(id));
    Map<String, String> everEnqueued = new HashMap<>(fields);
    everEnqueued.put("hours", Integer.toString(Hours.MOST));
    List<Choice> offers = new ArrayList<>();
    if (isDead) {
      add(offers, visit, Right.REDRIVE, "run again", "redrive", everEnqueued);
    }
    add(offers, visit, Right.REDRIVE, "enqueue once more", "replay", everEnqueued);
    add(offers, visit, Right.CANCEL, "cancel", "cancel", fields);
    add(offers, visit, Right.CANCEL, "ask to end", "ask-to-end", fields);
    add(offers, visit, Right.CANCEL, "change priority", "priority", fields);
    return offers;
  }

  static Cell ofRule(Visit visit, Rule rule) {
    Map<String, String> scope = Map.of("scope", rule.scope().toString());
    List<Choice> offers = new ArrayList<>();
    if (rule.pause().isPresent()) {
      add(offers, visit, Right.TENANT, "resume", "resume", scope);
    }
    add(offers, visit, Right.TENANT, "change", "limits", scope);
    return Cell.links(offers);
  }

  static Cell ofGraph(Visit visit, String tenant, GraphProgress graph) {
    List<Choice> offers = new ArrayList<>();
    if (!graph.isFinished()) {
      Map<String, String> fields = Map.of(TENANT, tenant, "graph", Long.toString(graph.id()));
      add(offers, visit, Right.CANCEL, "cancel", "graph-cancel", fields);
    }
    return Cell.links(offers);
  }

  static Cell ofSchedule(Visit visit, ScheduleEntry entry) {
    Map<String, String> fields =
        Map.of(TENANT, entry.tenant(), "schedule", entry.schedule().schedule().name());
    List<Choice> offers = new ArrayList<>();
    add(offers, visit, Right.SCHEDULE, "run", "schedule-run", fields);
    boolean paused = entry.schedule().paused();
    String change = paused ? "resume" : "pause";
    add(offers, visit, Right.SCHEDULE, change, "schedule-" + change, fields);
    add(offers, visit, Right.SCHEDULE, "remove", "schedule-remove", fields);
    return Cell.links(offers);
  }

  private static void add(
      List<Choice> offers,
      Visit visit,
      Right right,
      String text,
      String action,
      Map<String, String> fields) {
    if (visit.viewer().may(right)) {
      offers.add(new Choice(text, visit.links().action(action, fields), false));
    }
  }
}
