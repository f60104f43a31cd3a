package dev.rota.dashboard.internal.action;

import dev.rota.control.ProgressListener;
import dev.rota.dashboard.Right;
import dev.rota.dashboard.internal.view.View.Field;
import dev.rota.dashboard.internal.view.Visit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * A change that a viewer may make: from the form that describes it over a plan, which changes
 * nothing, to the work.
 *
 * @param name its name in addresses and in the audit
 * @param title its name on pages
 * @param right the right that it needs
 * @param fields the fields of its form, filled with what the visit has
 * @param planner makes the plan of a form that is complete; empty if it lacks a field
 */
public record Action(
    String name,
    String title,
    Right right,
    Function<Visit, List<Field>> fields,
    Function<Visit, Optional<Plan>> planner) {

  /**
   * What it would do.
   *
   * @throws IllegalArgumentException if the visit lacks a field that it needs
   */
  public Plan plan(Visit visit) {
    return planner
        .apply(visit)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "the form lacks a field it needs, of "
                        + fields.apply(visit).stream().map(Field::name).toList()));
  }

  /**
   * What an action would do.
   *
   * @param tenant the name of the tenant that it concerns; empty for several or none
   * @param about its arguments in words
   * @param effect what it would do now, in words
   * @param counted how many tasks it would change
   * @param work does it
   */
  public record Plan(
      Optional<String> tenant, String about, String effect, Counted counted, Work work) {

    /** The parameter of a visit that asks to count for longer. */
    public static final String COUNT = "count";

    /** A plan that changes no number of tasks. */
    static Plan of(Optional<String> tenant, String about, String effect, Work work) {
      return new Plan(tenant, about, effect, Counted.NOT, work);
    }
  }

  /**
   * A count of tasks.
   *
   * @param tasks the exact number; empty if that is not known
   * @param cut whether there was no time to count all
   */
  public record Counted(OptionalLong tasks, boolean cut) {

    static final Counted NOT = new Counted(OptionalLong.empty(), false);
    static final Counted CUT = new Counted(OptionalLong.empty(), true);

    static Counted of(long tasks) {
      return new Counted(OptionalLong.of(tasks), false);
    }
  }

  /** Makes the change; returns what came of it, in words. Tells the tasks that it changed. */
  interface Work {
    String run(ProgressListener progress);
  }
}
