package dev.rota.dashboard.internal.action;

import dev.rota.Rota;
import dev.rota.audit.AuditEntry;
import dev.rota.dashboard.Right;
import dev.rota.dashboard.internal.action.Action.Plan;
import dev.rota.dashboard.internal.view.ForbiddenException;
import dev.rota.dashboard.internal.view.Inputs;
import dev.rota.dashboard.internal.view.Visit;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** All actions, by their names. Thread-safe. */
public final class Actions {

  private final Rota rota;
  private final Operations operations;
  private final Map<String, Action> actions = new LinkedHashMap<>();

  /** Creates the actions; {@code now} reads the clock of the database. */
  public Actions(Rota rota, Operations operations, Supplier<Instant> now) {
    this.rota = rota;
    this.operations = operations;
    Stream.of(
            new RerunActions(rota, now).all(),
            new CancelActions(rota).all(),
            new ScheduleActions(rota).all(),
            new TenantActions(rota).all(),
            List.of(stop()))
        .flatMap(List::stream)
        .forEach(action -> actions.put(action.name(), action));
  }

  /** All actions, in the order of their making. */
  public Collection<Action> all() {
    return Collections.unmodifiableCollection(actions.values());
  }

  /**
   * Finds an action that a viewer may do.
   *
   * @throws ForbiddenException if the viewer lacks its right
   */
  public Optional<Action> find(Visit visit, String name) {
    Optional<Action> action = Optional.ofNullable(actions.get(name));
    action.ifPresent(found -> visit.require(found.right()));
    return action;
  }

  /**
   * Begins an action.
   *
   * @return the number of its entry in the audit
   * @throws ForbiddenException if the login of the dashboard may not write the audit
   */
  public long begin(Visit visit, Action action, Plan plan) {
    return operations.begin(visit.viewer(), action, plan);
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
    AuditEntry entry = operations.entry(visit);
    Action begun = actions.get(entry.action().action());
    visit.require(begun == null ? Right.TENANT : begun.right());
    return Plan.of(
        entry.action().tenant(),
        Inputs.about(visit, "id"),
        "What it has changed stays. The rest is left as it is.",
        progress -> rota.audit().requestStop(entry.id()) ? "" : "it had ended");
  }
}
