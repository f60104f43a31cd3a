package dev.rota.dashboard.internal.action;

import dev.rota.Rota;
import dev.rota.dashboard.Right;
import dev.rota.dashboard.internal.action.Action.Plan;
import dev.rota.dashboard.internal.view.Inputs;
import dev.rota.dashboard.internal.view.Visit;
import dev.rota.schedule.Schedules;
import dev.rota.schedule.UnknownScheduleException;
import java.util.List;
import java.util.Optional;

/** Actions on schedules. Thread-safe. */
final class ScheduleActions {

  private static final String TENANT = "tenant";
  private static final String NAME = "schedule";

  private final Rota rota;

  ScheduleActions(Rota rota) {
    this.rota = rota;
  }

  /** What is done with a schedule; returns what came of it. */
  private interface Change {
    String make(Schedules schedules, String name);
  }

  List<Action> all() {
    return List.of(
        action(
            "schedule-run",
            "Run a schedule now",
            "Its task is enqueued now; its next time stays.",
            (schedules, name) -> "task " + schedules.run(name)),
        action(
            "schedule-pause",
            "Pause a schedule",
            "Nothing is enqueued by it until it is resumed.",
            (schedules, name) -> {
              schedules.pause(name);
              return "";
            }),
        action(
            "schedule-resume",
            "Resume a schedule",
            "It goes on with its next time from now; missed times stay missed.",
            (schedules, name) -> {
              schedules.resume(name);
              return "";
            }),
        action(
            "schedule-remove",
            "Remove a schedule",
            "The schedule is deleted; tasks that it enqueued stay.",
            (schedules, name) -> schedules.remove(name) ? "" : "there was none"));
  }

  private Action action(String name, String title, String effect, Change change) {
    return new Action(
        name,
        title,
        Right.SCHEDULE,
        visit ->
            List.of(Inputs.needed(visit, TENANT, "Tenant"), Inputs.needed(visit, NAME, "Schedule")),
        visit -> plan(visit, effect, change));
  }

  private Optional<Plan> plan(Visit visit, String effect, Change change) {
    Optional<String> tenant = visit.parameter(TENANT);
    Optional<String> name = visit.parameter(NAME);
    if (tenant.isEmpty() || name.isEmpty()) {
      return Optional.empty();
    }
    visit.require(tenant.get());
    if (schedules(tenant.get()).find(name.get()).isEmpty()) {
      throw new UnknownScheduleException("the tenant has no schedule '" + name.get() + "'");
    }
    return Optional.of(
        Plan.of(
            tenant,
            Inputs.about(visit, TENANT, NAME),
            effect,
            progress -> change.make(schedules(tenant.get()), name.get())));
  }

  private Schedules schedules(String tenant) {
    return rota.tenants().get(tenant).schedules();
  }
}
