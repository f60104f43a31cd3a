package dev.rota.dashboard.internal.page;

import dev.rota.RotaException;
import dev.rota.dashboard.internal.action.Action;
import dev.rota.dashboard.internal.action.Action.Plan;
import dev.rota.dashboard.internal.action.Actions;
import dev.rota.dashboard.internal.view.ForbiddenException;
import dev.rota.dashboard.internal.view.Links;
import dev.rota.dashboard.internal.view.Refusal;
import dev.rota.dashboard.internal.view.View;
import dev.rota.dashboard.internal.view.View.Block;
import dev.rota.dashboard.internal.view.View.Field;
import dev.rota.dashboard.internal.view.View.Form;
import dev.rota.dashboard.internal.view.View.Hidden;
import dev.rota.dashboard.internal.view.View.Note;
import dev.rota.dashboard.internal.view.View.Notes;
import dev.rota.dashboard.internal.view.View.Target;
import dev.rota.dashboard.internal.view.Visit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The pages of actions. A request by GET shows the form and, once it is filled, what the action
 * would do; the one by POST does it. A form with a long text shows by POST what it would do, since
 * addresses stand in logs and have a limit. Thread-safe.
 */
public final class ActionPages {

  /** The field of a form that is sent by POST to be shown, not to be done. */
  private static final Hidden PREVIEW = new Hidden("preview", "1");

  private static final String REFUSED = "This cannot be done";

  private final Actions actions;

  public ActionPages(Actions actions) {
    this.actions = actions;
  }

  private Optional<Action> find(Visit visit) {
    return actions.find(visit, visit.path().substring(Links.ACTIONS.length()));
  }

  /**
   * The form of an action with what it would do; empty if there is no such action.
   *
   * @param token what a form that is sent by POST carries besides its fields
   */
  public Optional<View> show(Visit visit, List<Hidden> token) {
    return find(visit).map(action -> show(visit, action, token));
  }

  private static View show(Visit visit, Action action, List<Hidden> token) {
    List<Field> fields = action.fields().apply(visit);
    String address = visit.links().file(visit.path());
    List<Block> blocks = new ArrayList<>();
    boolean isLong = fields.stream().anyMatch(field -> field.input().type().equals("textarea"));
    List<Hidden> carried = new ArrayList<>(visit.links().hidden());
    if (isLong) {
      carried.add(PREVIEW);
      carried.addAll(token);
    }
    Target target = new Target(isLong ? "post" : "get", address);
    blocks.add(new Form(target, "What", fields, carried, "Preview"));
    try {
      action
          .planner()
          .apply(visit)
          .ifPresent(plan -> blocks.addAll(confirm(visit, action, plan, fields, token)));
    } catch (ForbiddenException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      blocks.add(notes(REFUSED, String.valueOf(e.getMessage()), true));
    } catch (RotaException e) {
      blocks.add(notes(REFUSED, Refusal.text(e), true));
    }
    return View.still(action.title(), "", blocks);
  }

  private static List<Block> confirm(
      Visit visit, Action action, Plan plan, List<Field> fields, List<Hidden> token) {
    List<Hidden> carried = new ArrayList<>();
    for (Field field : fields) {
      visit
          .parameter(field.name())
          .ifPresent(value -> carried.add(new Hidden(field.name(), value)));
    }
    carried.addAll(visit.links().hidden());
    carried.addAll(token);
    Target target = new Target("post", visit.links().file(visit.path()));
    List<Note> effect = new ArrayList<>(List.of(new Note(plan.effect(), null, false)));
    if (plan.counted().cut() && visit.parameter(Plan.COUNT).isEmpty()) {
      effect.add(new Note("count for longer", visit.links().with(Plan.COUNT, "1"), false));
    }
    return List.of(
        new Notes("What it does", effect, ""),
        new Form(target, "", List.of(), carried, action.title()));
  }

  private static Notes notes(String caption, String text, boolean urgent) {
    return new Notes(caption, List.of(new Note(text, null, urgent)), "");
  }

  /** Whether a form asks to be shown. */
  public static boolean isPreview(Visit visit) {
    return visit.parameter(PREVIEW.name()).isPresent();
  }

  /** Begins the action; returns the address of its entry, or empty if there is no such action. */
  public Optional<String> act(Visit visit) {
    return find(visit)
        .map(action -> actions.begin(visit, action, action.plan(visit)))
        .map(visit.links()::operation);
  }
}
