package dev.rota.dashboard.internal;

import dev.rota.Rota;
import dev.rota.RotaException;
import dev.rota.audit.AuditEntry;
import dev.rota.dashboard.DashboardResponse;
import dev.rota.dashboard.Right;
import dev.rota.dashboard.internal.Action.Plan;
import dev.rota.dashboard.internal.View.Block;
import dev.rota.dashboard.internal.View.Field;
import dev.rota.dashboard.internal.View.Form;
import dev.rota.dashboard.internal.View.Hidden;
import dev.rota.dashboard.internal.View.Note;
import dev.rota.dashboard.internal.View.Notes;
import dev.rota.dashboard.internal.View.Target;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The pages of actions. A request by GET shows the form and, once it is filled, what the action
 * would do; the one by POST does it. Thread-safe.
 */
final class ActionPages {

  static final String PREFIX = "/actions/";

  private final Rota rota;
  private final AuditPages audit;
  private final Operations operations;
  private final Map<String, Action> actions = new LinkedHashMap<>();

  /** Creates the pages; {@code now} reads the clock of the database. */
  ActionPages(Rota rota, AuditPages audit, Supplier<Instant> now) {
    this.rota = rota;
    this.audit = audit;
    this.operations = new Operations(rota.audit());
    Stream.of(
            new RerunActions(rota, now).all(),
            new CancelActions(rota).all(),
            new ScheduleActions(rota).all(),
            new TenantActions(rota).all(),
            List.of(stop()))
        .flatMap(List::stream)
        .forEach(action -> actions.put(action.name(), action));
  }

  private Action stop() {
    return new Action(
        "stop",
        "Stop a change that runs",
        Right.READ,
        visit -> List.of(Inputs.needed(visit, "id", "Number in the audit")),
        visit -> visit.parameter("id").map(id -> stop(visit)));
  }

  /** Who may begin a change may stop one. */
  private Plan stop(Visit visit) {
    AuditEntry entry = audit.entry(visit);
    Action running = actions.get(entry.action().action());
    visit.require(running == null ? Right.TENANT : running.right());
    return Plan.of(
        entry.action().tenant(),
        RerunActions.about(visit, "id"),
        "What it has changed stays. The rest is left as it is.",
        progress -> rota.audit().requestStop(entry.id()) ? "" : "it had ended");
  }

  /** All actions, by their names. */
  Map<String, Action> actions() {
    return Map.copyOf(actions);
  }

  /** The action that a path names, if there is one and the viewer may do it. */
  private Optional<Action> find(Visit visit) {
    Optional<Action> action =
        Optional.ofNullable(actions.get(visit.path().substring(PREFIX.length())));
    action.ifPresent(found -> visit.require(found.right()));
    return action;
  }

  /** The form of an action with what it would do; empty if there is no such action. */
  Optional<View> show(Visit visit, String token) {
    return find(visit).map(action -> show(visit, action, token));
  }

  private static View show(Visit visit, Action action, String token) {
    List<Field> fields = action.fields().apply(visit);
    String address = visit.links().to(visit.path());
    List<Block> blocks = new ArrayList<>();
    blocks.add(new Form(new Target("get", address), "What", fields, visit.links().hidden(), "Preview"));
    try {
      action
          .planner()
          .apply(visit)
          .ifPresent(plan -> blocks.addAll(confirm(visit, action, plan, fields, token)));
    } catch (ForbiddenException e) {
      throw e;
    } catch (IllegalArgumentException | RotaException e) {
      blocks.add(notes("This cannot be done", String.valueOf(e.getMessage()), true));
    }
    return View.still(action.title(), "", blocks);
  }

  private static List<Block> confirm(
      Visit visit, Action action, Plan plan, List<Field> fields, String token) {
    List<Hidden> carried = new ArrayList<>();
    for (Field field : fields) {
      visit
          .parameter(field.name())
          .ifPresent(value -> carried.add(new Hidden(field.name(), value)));
    }
    carried.addAll(visit.links().hidden());
    carried.addAll(FormGuard.fields(visit.request(), token));
    Target target = new Target("post", visit.links().to(visit.path()));
    return List.of(
        notes("What it does", plan.effect(), false),
        new Form(target, "", List.of(), carried, action.title()));
  }

  private static Notes notes(String caption, String text, boolean urgent) {
    return new Notes(caption, List.of(new Note(text, null, urgent)), "");
  }

  /** Begins the action, and leads to its entry in the audit; empty if there is no such action. */
  Optional<DashboardResponse> act(Visit visit) {
    return find(visit)
        .map(
            action -> {
              Plan plan =
                  action
                      .planner()
                      .apply(visit)
                      .orElseThrow(
                          () -> new IllegalArgumentException("the form lacks a field it needs"));
              long id = operations.begin(visit.viewer(), action, plan);
              return Responses.see(visit.links().operation(id));
            });
  }
}
